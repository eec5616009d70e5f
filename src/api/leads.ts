/** The leads' own routes: what happened to one, and what a person decides. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { Decision, JsonObject, LeadInput, LeadReport, State } from '../domain/lead';
import { log } from '../log';
import type { Answer } from './answer';
import { within } from './deadline';
import { ApiError } from './errors';
import { redriveIdOf, workflowIdOf } from './identity';
import { longestWaitMs } from './request';
import type { Reports } from './reports';
import { memoOf } from './start';

type Found = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'type' | 'startTime' | 'closeTime' | 'searchAttributes'>;

/** A failed lead as it came in, for whoever sends it again. */
export interface FailedLead {
  readonly name: string;
  readonly body: JsonObject;
}

export interface Leads {
  failed(leadId: string): Promise<FailedLead>;
  read(leadId: string, waitS?: number): Promise<Answer>;
  decide(leadId: string, decision: Decision): Promise<Answer>;
}

const leadIdForm = /^[kbp][0-9a-z]{20}-[0-9a-z]{10}$/;

const askDeadlineMs = 5_000;

export function createLeads(client: Client, reports: Reports): Leads {
  const inTime = <T>(call: () => Promise<T>) => within(client, Date.now() + askDeadlineMs, call);

  /** An id may have served several leads, one after the other: the newest is at hand, the others are searched for. */
  async function find(leadId: string): Promise<Found> {
    if (!leadIdForm.test(leadId)) throw unknown();
    const workflowId = workflowIdOf(leadId);
    const newest = await inTime(() => client.workflow.getHandle(workflowId).describe()).catch(unlessNotFound);
    if (newest && memoOf(newest)?.leadId === leadId) return (await redriven(leadId, newest)) ?? newest;
    for await (const older of client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      if (memoOf(older)?.leadId === leadId) return (await redriven(leadId, older)) ?? older;
    throw unknown();
  }

  /** What became of a failed lead since. */
  async function redriven(leadId: string, { status }: Pick<WorkflowExecutionInfo, 'status'>): Promise<Found | undefined> {
    if (status.name !== 'FAILED') return undefined;
    return inTime(() => client.workflow.getHandle(redriveIdOf(leadId)).describe()).catch(unlessNotFound);
  }

  return {
    async read(leadId, waitS) {
      const found = await find(leadId);
      const report = waitS ? await reports.settled(found, longestWaitMs(waitS)) : await reports.now(found);
      return { status: 200, body: leadBody(leadId, report, found) };
    },

    async failed(leadId) {
      const { workflowId, runId, type, searchAttributes } = await find(leadId);
      if (searchAttributes.LeadState?.[0] !== 'failed') throw new ApiError('WRONG_STATE', 'The lead has not failed');
      const history = await inTime(() => client.workflow.getHandle(workflowId, runId).fetchHistory());
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      const [lead] = await decodeArrayFromPayloads(client.options.loadedDataConverter, started?.input?.payloads);
      return { name: type, body: (lead as LeadInput).body };
    },

    async decide(leadId, decision) {
      const { workflowId, runId } = await find(leadId);
      try {
        const run = client.workflow.getHandle(workflowId, runId);
        const state = await inTime(() => run.executeUpdate<State, [Decision]>('decide', { args: [decision] }));
        log.info('lead decided', { leadId, verb: decision.verb });
        return { status: 200, body: { success: true, leadId, state } };
      } catch (error) {
        throw decisionError(error);
      }
    },
  };
}

function leadBody(leadId: string, report: LeadReport, { startTime, closeTime }: Pick<Found, 'startTime' | 'closeTime'>): JsonObject {
  const { flow, state, step, steps, result } = report;
  const updatedAt = report.updatedAt ?? (closeTime ?? startTime).toISOString();
  return { success: true, leadId, flow, state, step, createdAt: startTime.toISOString(), updatedAt, steps, result };
}

const unknown = () => new ApiError('NOT_FOUND', 'There is no lead with this id');

function unlessNotFound(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

function decisionError(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError) return new ApiError('WRONG_STATE', 'The lead is not parked: its run has ended');
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === 'VALIDATION_ERROR')
    return new ApiError('VALIDATION_ERROR', cause.message, { details: [{ field: 'upstreamId', message: cause.message }] });
  return new ApiError('WRONG_STATE', cause.message);
}
