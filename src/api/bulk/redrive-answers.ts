/** Reads a bulk redrive's state from its memo, without asking its run, and makes the answers and errors of its routes. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError } from '../../contract/errors';
import { mostLeads, type RedriveMemo, type RedriveState } from '../../domain/redrive';
import type { Answer } from '../answer';

/** The part of a run that the engine tells without asking a worker. */
export type Told = Pick<WorkflowExecutionInfo, 'status' | 'memo'>;

export const bulkIdOf = (redriveId: string): string => `bulk-${redriveId}`;
const redriveIn = (bulkId: string): string => bulkId.replace('bulk-', '');
const sampleSize = 10;

export const bulkMemoOf = ({ memo }: Pick<Told, 'memo'>): RedriveMemo => memo?.redrive as RedriveMemo;

/** The state in the memo. A run that was terminated in the Temporal UI could not change its memo and counts as stopped. */
export const stateNow = (run: Told): RedriveState =>
  run.status.name !== 'RUNNING' && bulkMemoOf(run).state === 'running' ? 'stopped' : bulkMemoOf(run).state;

export function summary(run: WorkflowExecutionInfo) {
  const { digest: _, ...said } = bulkMemoOf(run);
  return { redriveId: redriveIn(run.workflowId), ...said, state: stateNow(run) };
}

export function acceptedAnswer(redriveId: string, count: number, state: RedriveState): Answer {
  const statusUrl = `/api/redrives/${redriveId}`;
  return {
    status: 202,
    body: { success: true, redriveId, state, count, statusUrl },
    headers: { Location: statusUrl, 'X-Workflow-Id': bulkIdOf(redriveId) },
  };
}

export function counted(leadIds: readonly string[]): Answer {
  const message = 'Nothing was started: send the same again with this count to drive these leads again';
  return { status: 200, body: { success: true, count: leadIds.length, sample: leadIds.slice(0, sampleSize), message } };
}

export const otherCount = (count: number) =>
  new ApiError('WRONG_STATE', `The filter matches ${count} failed leads now: nothing was started`, { errorContext: { count } });

export const tooMany = new ApiError('VALIDATION_ERROR', `At most ${mostLeads} leads go into one redrive: narrow the filter`, {
  details: [{ field: 'filter', message: `must match at most ${mostLeads} leads` }],
});

export const outcomeUnknown = (redriveId: string) =>
  new ApiError('OUTCOME_UNKNOWN', 'The engine stopped answering while the redrive was handed over: it may have been started', {
    errorContext: { redriveId },
  });
