/** A call to the engine that ends in time, whatever the connection does. */
import { isGrpcCancelledError, isGrpcDeadlineError, isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { isCode } from '../grpc';

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

/** Proof that the engine has read it and not done it. Any other answer of a call that changes something may come from one that did, or that yet does. */
export function isRefusal(error: unknown): boolean {
  if (!isEngineAway(error)) return true;
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && isCode(cause, 'invalidArgument', 'notFound', 'permissionDenied', 'unimplemented', 'unauthenticated');
}
