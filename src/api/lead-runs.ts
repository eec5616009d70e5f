/** A lead → its runs: an id may serve several leads, one after the other, and a failed lead may be driven again. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { leadIdForm, redriveIdOf, workflowIdOf } from '../domain/ids';
import type { JsonObject, LeadInput, State } from '../domain/lead';
import { unlessNoRun } from '../grpc';
import { within } from './deadline';
import { ApiError } from './errors';
import { listed } from './listed';
import { memoOf } from './start';

export type Found = Pick<
  WorkflowExecutionInfo,
  'workflowId' | 'runId' | 'type' | 'status' | 'startTime' | 'closeTime' | 'searchAttributes' | 'memo'
>;

const askDeadlineMs = 5_000;
/** Ids in one question. */
const batch = 100;

/** The newest run of a lead. */
export async function findLead(client: Client, leadId: string): Promise<Found> {
  const describe = (workflowId: string) =>
    within(client, Date.now() + askDeadlineMs, () => client.workflow.getHandle(workflowId).describe()).catch(unlessNoRun);

  /** Of several leads under one id the newest is at hand, the others are searched for. */
  async function first(): Promise<Found | undefined> {
    const workflowId = workflowIdOf(leadId);
    const newest = await describe(workflowId);
    if (newest && memoOf(newest)?.leadId === leadId) return newest;
    return (await listed(client, `WorkflowId = '${workflowId}'`)).find((older) => memoOf(older)?.leadId === leadId);
  }

  if (!leadIdForm.test(leadId)) throw unknown();
  const found = await first();
  if (found && found.status.name !== 'FAILED') return found;
  // The run that failed may be forgotten by the engine while the one that took over from it is still open.
  const newest = (await describe(redriveIdOf(leadId))) ?? found;
  if (newest) return newest;
  throw unknown();
}

/** The body that a run was started with. */
export async function bodyOf(client: Client, { workflowId, runId }: Found): Promise<JsonObject> {
  const history = await within(client, Date.now() + askDeadlineMs, () => client.workflow.getHandle(workflowId, runId).fetchHistory());
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [lead] = await decodeArrayFromPayloads(client.options.loadedDataConverter, started?.input?.payloads);
  return (lead as LeadInput).body;
}

export const stateOf = ({ searchAttributes }: Pick<Found, 'searchAttributes'>): State | undefined =>
  searchAttributes.LeadState?.[0] as State | undefined;

/** A lead that is driven again came in before. */
export const cameInAt = (run: Pick<Found, 'startTime' | 'memo'>): string => memoOf(run)?.cameIn ?? run.startTime.toISOString();

/** Lead id → the newest run that took it up again, of those that have one. */
export async function redrivesOf(client: Client, leadIds: readonly string[]): Promise<Map<string, WorkflowExecutionInfo>> {
  const newest = new Map<string, WorkflowExecutionInfo>();
  for (let at = 0; at < leadIds.length; at += batch) {
    const some = leadIds.slice(at, at + batch).map((leadId) => `'${redriveIdOf(leadId)}'`);
    for (const run of await listed(client, `WorkflowId IN (${some.join(', ')})`)) {
      const leadId = memoOf(run)?.leadId ?? '';
      const other = newest.get(leadId);
      if (!other || other.startTime < run.startTime) newest.set(leadId, run);
    }
  }
  return newest;
}

/** Of these runs, the ones that are their leads' newest. The engine cannot change what a closed run says, so the redrives are asked for. */
export async function newestOnly(client: Client, runs: readonly WorkflowExecutionInfo[]): Promise<WorkflowExecutionInfo[]> {
  const failed = runs.filter((run) => stateOf(run) === 'failed').map((run) => memoOf(run)?.leadId ?? '');
  const since = await redrivesOf(client, [...new Set(failed)]);
  return runs.filter((run) => stateOf(run) !== 'failed' || (since.get(memoOf(run)?.leadId ?? '') ?? run).runId === run.runId);
}

const unknown = () => new ApiError('NOT_FOUND', 'There is no lead with this id');
