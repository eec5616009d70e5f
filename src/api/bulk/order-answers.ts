/** Reads the state of a bulk order from the memo of its run, and builds the answers and errors of its routes. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ApiError } from '../../contract/errors';
import { mostLeads, type BulkMemo, type BulkPart, type BulkState, type BulkVerb } from '../../domain/bulk';
import type { JsonObject, State } from '../../domain/lead';
import type { Answer } from '../answer';
import type { AuditedAnswer } from '../audited';
import type { OrderRun } from './order-runs';

/** The names that the routes of one kind of bulk order use. */
export interface OrderKind {
  /** The first letter of its ids. */
  readonly letter: string;
  readonly name: 'redrive' | 'decision' | 'resend';
  readonly path: string;
  readonly idName: 'redriveId' | 'decisionId' | 'resendId';
  /** The field with the number of leads for which the order failed. */
  readonly refusedName: 'failedToStart' | 'notDecided' | 'notResent';
  /** The state of its leads, unless the filter has another one; absent for events. */
  readonly leadState?: State;
  /** Done with each lead, unless the order names another verb. */
  readonly verb: BulkVerb;
}

export const redriveKind = {
  letter: 'r',
  name: 'redrive',
  path: '/api/redrives',
  idName: 'redriveId',
  refusedName: 'failedToStart',
  leadState: 'failed',
  verb: 'redrive',
} as const satisfies OrderKind;
export const decisionKind = {
  letter: 'd',
  name: 'decision',
  path: '/api/decisions',
  idName: 'decisionId',
  refusedName: 'notDecided',
  leadState: 'parked',
  verb: 'resend',
} as const satisfies OrderKind;
export const resendKind: OrderKind = {
  letter: 'e',
  name: 'resend',
  path: '/api/events/resends',
  idName: 'resendId',
  refusedName: 'notResent',
  verb: 'resend-events',
};

export const bulkPrefix = 'bulk-';
const sampleSize = 10;

export const bulkMemoOf = ({ memo }: Pick<OrderRun, 'memo'>): BulkMemo => memo?.bulk as BulkMemo;

const verbIn = ({ name }: OrderKind, run: OrderRun): JsonObject => (name === 'decision' ? { verb: bulkMemoOf(run).verb } : {});

export function summaryOf(kind: OrderKind, run: OrderRun & Pick<WorkflowExecutionInfo, 'workflowId'>, state: BulkState) {
  const { digest: _, verb: __, refused, ...said } = bulkMemoOf(run);
  const orderId = run.workflowId.slice(bulkPrefix.length);
  return { [kind.idName]: orderId, ...verbIn(kind, run), ...said, [kind.refusedName]: refused, state };
}

export function reportBody(
  kind: OrderKind,
  run: OrderRun & Pick<WorkflowExecutionInfo, 'workflowId'>,
  part: BulkPart,
  results: readonly JsonObject[],
  upTo: number,
): JsonObject {
  const { state, count, done, refused, ratePerS, startedAt, endedAt, kinds, counts, found } = part;
  const { by, reason } = bulkMemoOf(run);
  const reasons = kinds.map((why, at) => ({ ...why, count: counts[at] ?? 0 })).toSorted((one, other) => other.count - one.count);
  return {
    success: true,
    [kind.idName]: run.workflowId.slice(bulkPrefix.length),
    ...verbIn(kind, run),
    ...{ state, count, done, [kind.refusedName]: refused, remaining: count - done, ratePerS, startedAt, endedAt, by, reason },
    ...{ reasons, results },
    ...(upTo < found && { nextCursor: String(upTo) }),
  };
}

export function acceptedAnswer({ path, idName }: OrderKind, orderId: string, count: number, state: BulkState): Answer {
  const statusUrl = `${path}/${orderId}`;
  return {
    status: 202,
    body: { success: true, [idName]: orderId, state, count, statusUrl },
    headers: { Location: statusUrl, 'X-Workflow-Id': `${bulkPrefix}${orderId}` },
  };
}

export function countAnswer(leadIds: readonly string[]): AuditedAnswer {
  const message = 'Nothing was started: to start, send the same request with this count';
  return { status: 200, body: { success: true, count: leadIds.length, sample: leadIds.slice(0, sampleSize), message }, outcome: 'counted' };
}

export const countChanged = (leadState: State | undefined, count: number) => {
  const leads = leadState ? `${leadState} leads` : 'leads with events that were given up';
  return new ApiError('WRONG_STATE', `The filter now matches ${count} ${leads}: nothing was started`, { errorContext: { count } });
};

export const tooManyLeads = ({ name }: OrderKind) =>
  new ApiError('VALIDATION_ERROR', `A ${name} can have at most ${mostLeads} leads: narrow the filter`, {
    details: [{ field: 'filter', message: `must match at most ${mostLeads} leads` }],
  });

export const outcomeUnknown = ({ name, idName }: OrderKind, orderId: string) =>
  new ApiError('OUTCOME_UNKNOWN', `The engine stopped answering during the start of the ${name}: it may have started`, {
    errorContext: { [idName]: orderId },
  });
