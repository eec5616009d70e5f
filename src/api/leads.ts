/** The leads' own routes: what happened to one, and what a person decides. */
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { stateAfter, type Decision, type JsonObject, type LeadReport, type State } from '../domain/lead';
import { log } from '../log';
import { replayed, simulated, type Answer } from './answer';
import { canonical } from './canonical';
import { within } from './deadline';
import { ApiError, keyReused } from './errors';
import { storyOf } from './exchanges';
import { cameInAt, findLead, type Found } from './lead-runs';
import { longestWaitMs } from './request';
import type { Reports } from './reports';
import { memoOf } from './start';

export interface Leads {
  read(leadId: string, waitS?: number): Promise<Answer>;
  /** What was sent and what came back; in clear only for whoever may. */
  exchanges(leadId: string, clear: boolean): Promise<Answer>;
  /** `order` names it: the same one again does nothing and gets the first answer. */
  decide(leadId: string, decision: Decision, order?: string): Promise<Answer>;
}

const askDeadlineMs = 5_000;

export function createLeads(client: Client, reports: Reports): Leads {
  const inTime = <T>(call: () => Promise<T>) => within(client, Date.now() + askDeadlineMs, call);

  /** What was decided under this id, by the run's own history. */
  async function decided(run: WorkflowHandle, updateId: string): Promise<Decision | undefined> {
    const { events } = await inTime(() => run.fetchHistory());
    const requests = (events ?? []).map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest);
    const same = requests.find((request) => request?.meta?.updateId === updateId);
    const [decision] = await decodeArrayFromPayloads(client.options.loadedDataConverter, same?.input?.args?.payloads);
    return decision as Decision | undefined;
  }

  return {
    async read(leadId, waitS) {
      const found = await findLead(client, leadId);
      const report = waitS ? await reports.settled(found, longestWaitMs(waitS)) : await reports.now(found);
      return { status: 200, body: leadBody(leadId, report, found), headers: headersOf(found) };
    },

    async exchanges(leadId, clear) {
      const found = await findLead(client, leadId);
      const { workflowId, runId, searchAttributes } = found;
      const story = await storyOf(client, { workflowId, runId }, clear);
      return { status: 200, body: { success: true, leadId, flow: searchAttributes.LeadFlow?.[0], ...story }, headers: headersOf(found) };
    },

    async decide(leadId, decision, order) {
      const { workflowId, runId } = await findLead(client, leadId);
      const run = client.workflow.getHandle(workflowId, runId);
      const updateId = order && `${decision.verb}-${order}`;
      const before = updateId && (await decided(run, updateId));
      if (before) {
        if (canonical(before) !== canonical(decision)) throw keyReused();
        return { status: 200, body: { success: true, leadId, state: stateAfter(before) }, headers: replayed };
      }
      try {
        const state = await inTime(() => run.executeUpdate<State, [Decision]>('decide', { args: [decision], updateId }));
        log.info('lead decided', { leadId, verb: decision.verb });
        return { status: 200, body: { success: true, leadId, state } };
      } catch (error) {
        throw decisionError(error);
      }
    },
  };
}

const headersOf = (found: Found) => (memoOf(found)?.sandbox ? simulated : undefined);

function leadBody(leadId: string, report: LeadReport, found: Found): JsonObject {
  const { flow, state, step, steps, result } = report;
  const { startTime, closeTime } = found;
  const updatedAt = report.updatedAt ?? (closeTime ?? startTime).toISOString();
  const sandbox = memoOf(found)?.sandbox ? true : undefined;
  return { success: true, leadId, flow, state, step, createdAt: cameInAt(found), updatedAt, steps, sandbox, result };
}

function decisionError(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError) return new ApiError('WRONG_STATE', 'The lead is not parked: its run has ended');
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) return error;
  if (cause.type === 'VALIDATION_ERROR')
    return new ApiError('VALIDATION_ERROR', cause.message, { details: [{ field: 'upstreamId', message: cause.message }] });
  return new ApiError('WRONG_STATE', cause.message);
}
