/** A call to the engine that ends in time, whatever the connection does. */
import { isGrpcCancelledError, isGrpcDeadlineError, isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';

export class TimeUp extends Error {
  override name = 'TimeUp';
}

/** The client's own deadline alone does not end a call on a connection that is being made again. */
export async function within<T>(client: Client, deadline: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new TimeUp('the engine did not answer in time')), Math.max(0, deadline - Date.now()));
  });
  try {
    return await Promise.race([client.withDeadline(deadline, call), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

export const isTimeUp = (error: unknown): boolean => error instanceof TimeUp || isGrpcDeadlineError(error) || isGrpcCancelledError(error);

/** The client names it in several ways. */
export const isEngineAway = (error: unknown): boolean => isTimeUp(error) || isGrpcServiceError(error) || error instanceof ServiceError;

/** gRPC's codes for a call that was read and not done: invalid argument, not found, permission denied, unimplemented, unauthenticated. */
const refusals: readonly number[] = [3, 5, 7, 12, 16];

/** Proof that the engine did not do it. Any other answer of a call that changes something may come from one that did, or that yet does. */
export function isRefusal(error: unknown): boolean {
  if (!isEngineAway(error)) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && refusals.includes(cause.code);
}
