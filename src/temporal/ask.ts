/** Calls the engine: enforces deadlines whatever the state of the connection, classifies errors, and reads and ends single runs. */
import {
  isGrpcCancelledError,
  isGrpcDeadlineError,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { Address } from '../domain/ids';
import { codeOf } from '../lib/errors';

export class DeadlineExceeded extends Error {
  override name = 'TimeUp';
}

/** How much later the client's own deadline is than ours. */
const graceMs = 5_000;
/** A timer that fires later than this shows that the process was suspended. */
const suspendedMs = 50;
/** How long a process may read pending answers after it was suspended. */
const readMs = 200;

/**
 * Ends a call at its deadline. The client has a deadline of its own, which is not enough:
 * - It does not end a call while the connection is re-established.
 * - Node runs timers before it reads. After a suspension, the client would end a call whose answer has arrived but is unread.
 * - The engine ends a waiting call a second before that deadline, and the client would repeat the call hundreds of times in that second.
 *
 * So the client's deadline is later, and is moved to the past when ours has passed, so that the client makes no further call.
 */
export async function within<T>(client: Client, deadline: number, call: () => Promise<T>): Promise<T> {
  const callDeadline = new Date(deadline + graceMs);
  try {
    return await inTime(deadline, client.withDeadline(callDeadline, call));
  } finally {
    callDeadline.setTime(0);
  }
}

async function inTime<T>(deadline: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadlinePassed = new Promise<never>((_, reject) => {
    const end = () => reject(new DeadlineExceeded('the engine did not answer in time'));
    const endOnceRead = () => (Date.now() - deadline > suspendedMs ? (timer = setTimeout(end, readMs)) : end());
    timer = setTimeout(endOnceRead, Math.max(0, deadline - Date.now()));
  });
  try {
    return await Promise.race([call, deadlinePassed]);
  } finally {
    clearTimeout(timer);
  }
}

/** Long enough for a busy engine, short enough for a waiting caller. */
export const askDeadlineMs = 5_000;

export const askEngine = <T>(client: Client, call: () => Promise<T>): Promise<T> => within(client, Date.now() + askDeadlineMs, call);

export type RunDescription = WorkflowExecutionDescription;

/** Describes a run; without a run id, the newest run of the workflow id. Undefined if there is none. */
export const describe = (client: Client, workflowId: string, runId?: string): Promise<RunDescription | undefined> =>
  askEngine(client, () => client.workflow.getHandle(workflowId, runId).describe()).catch(ignoreRunNotFound);

/** The name of a local activity's marker in a history. */
export const localActivityMarker = 'core_local_activity';

export const historyOf = (client: Client, { workflowId, runId }: Address) =>
  askEngine(client, () => client.workflow.getHandle(workflowId, runId).fetchHistory());

/** Reads only the first event of a run. It has the input. */
export const firstEventOf = (client: Client, { workflowId, runId }: Address) =>
  askEngine(client, async () => {
    const execution = { workflowId, runId };
    const first = { namespace: client.options.namespace, execution, maximumPageSize: 1 };
    const { history } = await client.workflowService.getWorkflowExecutionHistory(first);
    return history?.events?.[0];
  });

/** Cancels a run; does nothing if there is no such open run. */
export const cancelRun = (client: Client, { workflowId, runId }: Address): Promise<unknown> =>
  askEngine(client, () => client.workflow.getHandle(workflowId, runId).cancel()).catch(ignoreRunNotFound);

/** Terminates a run, which frees its id; does nothing if there is no such open run. The Temporal UI shows the reason in clear. */
export const terminateRun = (client: Client, { workflowId, runId }: Address, reason: string): Promise<unknown> =>
  askEngine(client, () => client.workflow.getHandle(workflowId, runId).terminate(reason)).catch(ignoreRunNotFound);

/** Deletes a run with its history; does nothing if there is no such run. */
export const deleteRun = (client: Client, { workflowId, runId }: Address): Promise<unknown> =>
  askEngine(client, () =>
    client.workflowService.deleteWorkflowExecution({ namespace: client.options.namespace, workflowExecution: { workflowId, runId } }),
  ).catch(ignoreRunNotFound);

export const isDeadlineExceeded = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || isGrpcDeadlineError(error) || isGrpcCancelledError(error);

/** True if the engine could not be reached or did not answer in time. */
export const isEngineAway = (error: unknown): boolean =>
  isDeadlineExceeded(error) || isGrpcServiceError(error) || error instanceof ServiceError;

/** True if the error proves that the engine rejected the call. After any other error the call may have an effect, now or later. */
export function isRefusal(error: unknown): boolean {
  if (!isEngineAway(error)) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && isCode(cause, 'invalidArgument', 'notFound', 'permissionDenied', 'unimplemented', 'unauthenticated');
}

/** gRPC status codes. */
const codes = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  failedPrecondition: 9,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

export const isCode = (error: unknown, ...names: (keyof typeof codes)[]): boolean => names.some((name) => codes[name] === codeOf(error));

/** True if there is no such run, or if it is closed and accepts no signal, update or termination. */
export const isRunNotFound = (error: unknown): boolean => error instanceof WorkflowNotFoundError || isCode(error, 'notFound');

/** For `catch`: returns undefined if there is no such run, and throws any other error. */
export function ignoreRunNotFound(error: unknown): undefined {
  if (!isRunNotFound(error)) throw error;
}

/** For `catch`: returns undefined if another run has the workflow id, and throws any other error. */
export function ignoreAlreadyStarted(error: unknown): undefined {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}
