/** How the engine refuses: by gRPC's codes, or in the client's words for them. */
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

/** There is no such run, or it is over and can be told nothing any more. */
export const isNoRun = (error: unknown): boolean => error instanceof WorkflowNotFoundError || isCode(error, 'notFound');

/** For `catch`. */
export function unlessNoRun(error: unknown): undefined {
  if (!isNoRun(error)) throw error;
}
