/** Recognises the engine's errors, by their gRPC code or by the client's own classes. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { codeOf } from '../lib/errors';

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

/** True if there is no such run, or if it is over and takes no signal, update or termination. */
export const isNoRun = (error: unknown): boolean => error instanceof WorkflowNotFoundError || isCode(error, 'notFound');

/** For `catch`: returns undefined if there is no such run, and throws any other error. */
export function unlessNoRun(error: unknown): undefined {
  if (!isNoRun(error)) throw error;
}
