/** A call to the engine that ends in time, whatever the connection does. */
import { isGrpcCancelledError, isGrpcDeadlineError, isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { isCode } from './grpc';

export class TimeUp extends Error {
  override name = 'TimeUp';
}

/** The client's own deadline alone does not end a call on a connection that is being made again. */
export const within = <T>(client: Client, deadline: number, call: () => Promise<T>): Promise<T> =>
  inTime(deadline, client.withDeadline(deadline, call));

/** Longer than what the engine leaves of a waiting call's time. */
const pollGraceMs = 2_000;

/**
 * The same for what waits at the engine until something happens. The engine ends such a call a second before its deadline, and the client
 * asks again, hundreds of times in that second. So its calls get more time than there is, and once that is up none is made.
 */
export async function waitWithin<T>(client: Client, deadline: number, call: () => Promise<T>): Promise<T> {
  const callDeadline = new Date(deadline + pollGraceMs);
  try {
    return await inTime(deadline, client.withDeadline(callDeadline, call));
  } finally {
    callDeadline.setTime(0);
  }
}

async function inTime<T>(deadline: number, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new TimeUp('the engine did not answer in time')), Math.max(0, deadline - Date.now()));
  });
  try {
    return await Promise.race([asked, timeUp]);
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
