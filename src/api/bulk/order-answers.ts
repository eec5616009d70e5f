/** Reads a bulk order's state from its memo, without asking its run, and makes the answers and errors of its routes. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError } from '../../contract/errors';
import { mostLeads, type BulkMemo, type BulkPart, type BulkState } from '../../domain/bulk';
import type { JsonObject, State } from '../../domain/lead';
import type { Answer } from '../answer';
import type { Audited } from '../audited';

/** How the routes of one kind of bulk order name it. */
export interface OrderKind {
  /** The first letter of its ids. */
  readonly letter: string;
  readonly name: 'redrive' | 'decision';
  readonly path: string;
  readonly idName: 'redriveId' | 'decisionId';
  /** The field that counts the leads for which the order was not carried out. */
  readonly refusedName: 'failedToStart' | 'notDecided';
  /** The state of the leads that it is for. */
  readonly leadState: State;
}

export const redriveKind: OrderKind = {
  letter: 'r',
  name: 'redrive',
  path: '/api/redrives',
  idName: 'redriveId',
  refusedName: 'failedToStart',
  leadState: 'failed',
};
export const decisionKind: OrderKind = {
  letter: 'd',
  name: 'decision',
  path: '/api/decisions',
  idName: 'decisionId',
  refusedName: 'notDecided',
  leadState: 'parked',
};

/** The part of a run that the engine tells without asking a worker. */
export type Told = Pick<WorkflowExecutionInfo, 'status' | 'memo'>;

const prefix = 'bulk-';
export const bulkIdOf = (orderId: string): string => `${prefix}${orderId}`;
export const bulkIdsOf = ({ letter }: OrderKind): string => `${prefix}${letter}`;
const sampleSize = 10;

export const bulkMemoOf = ({ memo }: Pick<Told, 'memo'>): BulkMemo => memo?.bulk as BulkMemo;

/** The state in the memo. A run that was terminated by Temporal's own tools could not change its memo and counts as stopped. */
export const stateNow = (run: Told): BulkState =>
  run.status.name !== 'RUNNING' && bulkMemoOf(run).state === 'running' ? 'stopped' : bulkMemoOf(run).state;

const verbIn = ({ name }: OrderKind, run: Told): JsonObject => (name === 'decision' ? { verb: bulkMemoOf(run).verb } : {});

export function summary(kind: OrderKind, run: WorkflowExecutionInfo) {
  const { digest: _, verb: __, refused, ...said } = bulkMemoOf(run);
  const orderId = run.workflowId.slice(prefix.length);
  return { [kind.idName]: orderId, ...verbIn(kind, run), ...said, [kind.refusedName]: refused, state: stateNow(run) };
}

export function reportBody(
  kind: OrderKind,
  run: Told & Pick<WorkflowExecutionInfo, 'workflowId'>,
  part: BulkPart,
  results: readonly JsonObject[],
  upTo: number,
): JsonObject {
  const { state, count, done, refused, ratePerS, startedAt, endedAt, kinds, counts, found } = part;
  const reasons = kinds.map((why, at) => ({ ...why, count: counts[at] ?? 0 })).toSorted((one, other) => other.count - one.count);
  return {
    success: true,
    [kind.idName]: run.workflowId.slice(prefix.length),
    ...verbIn(kind, run),
    ...{ state, count, done, [kind.refusedName]: refused, remaining: count - done, ratePerS, startedAt, endedAt },
    ...{ reasons, results },
    ...(upTo < found && { nextCursor: String(upTo) }),
  };
}

export function acceptedAnswer({ path, idName }: OrderKind, orderId: string, count: number, state: BulkState): Answer {
  const statusUrl = `${path}/${orderId}`;
  return {
    status: 202,
    body: { success: true, [idName]: orderId, state, count, statusUrl },
    headers: { Location: statusUrl, 'X-Workflow-Id': bulkIdOf(orderId) },
  };
}

export function counted(leadIds: readonly string[]): Audited {
  const message = 'Nothing was started: send the same again with this count to start';
  return { status: 200, body: { success: true, count: leadIds.length, sample: leadIds.slice(0, sampleSize), message }, outcome: 'counted' };
}

export const otherCount = ({ leadState }: OrderKind, count: number) =>
  new ApiError('WRONG_STATE', `The filter matches ${count} ${leadState} leads now: nothing was started`, { errorContext: { count } });

export const tooMany = ({ name }: OrderKind) =>
  new ApiError('VALIDATION_ERROR', `At most ${mostLeads} leads go into one ${name}: narrow the filter`, {
    details: [{ field: 'filter', message: `must match at most ${mostLeads} leads` }],
  });

export const outcomeUnknown = ({ name, idName }: OrderKind, orderId: string) =>
  new ApiError('OUTCOME_UNKNOWN', `The engine stopped answering while the ${name} was handed over: it may have been started`, {
    errorContext: { [idName]: orderId },
  });
