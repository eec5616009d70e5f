/** Reads the error of an activity as a failed attempt with its outcome, and turns that into the failure that the caller is told. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { ErrorCode, Failure } from '../domain/lead';
import { notHere, taskAgain, type AttemptFailure, type AttemptNote } from '../domain/outcome';

export interface FailedAttempt extends AttemptNote {
  readonly type: AttemptFailure;
}

const types: readonly string[] = ['NOT_SENT', 'REFUSED', 'KEY_REFUSED', 'UNKNOWN', 'CONFIG_ERROR'] satisfies AttemptFailure[];
const isKnown = (type: unknown): type is AttemptFailure => typeof type === 'string' && types.includes(type);

const codes: Readonly<Record<AttemptFailure, ErrorCode>> = {
  NOT_SENT: 'UPSTREAM_ERROR',
  REFUSED: 'UPSTREAM_REJECTED',
  KEY_REFUSED: 'UPSTREAM_ERROR',
  UNKNOWN: 'UPSTREAM_ERROR',
  CONFIG_ERROR: 'CONFIG_ERROR',
};

/** A local activity throws its own error; a regular one wraps it. */
const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** True if the local send did not begin, so a regular activity may send. */
export function wasLeft(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === notHere;
}

/** Anything that we did not name ourselves has an unknown outcome: a time-out, a dead worker, a bug. */
export function failedAttempt(error: unknown): FailedAttempt {
  if (isCancellation(error)) throw error;
  const cause = causeOf(error);
  // Fail the workflow task only, not the run: the engine hands the task out again.
  if (cause instanceof ApplicationFailure && cause.type === taskAgain) throw new Error(cause.message);
  if (cause instanceof ApplicationFailure && isKnown(cause.type)) {
    const note = cause.details?.[0] as AttemptNote | undefined;
    return { ...note, type: cause.type, message: note?.message ?? cause.message };
  }
  // No worker took the request from the queue, so nothing was sent.
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START')
    return { type: 'NOT_SENT', limited: true, message: "Its turn did not come in time before the upstream's limit" };
  return { type: 'UNKNOWN', message: 'The step ended without saying what became of it' };
}

/**
 * The failure that the caller is told: its code follows the outcome; its message names the upstream, what it did, and what that means for
 * the lead.
 */
export function failureOf(
  failed: FailedAttempt,
  step: { readonly name: string; readonly repeatable?: true; readonly meaning?: string; readonly neverAgain?: true },
): Failure {
  const { type, message, retryAfterMs } = failed;
  const unsafe = type === 'UNKNOWN' && !step.repeatable;
  const said = unsafe ? `${message}: it may have been accepted, so it is not sent again by itself` : message;
  return {
    code: unsafe ? 'OUTCOME_UNKNOWN' : (failed.code ?? (type === 'NOT_SENT' && failed.limited ? 'RATE_LIMITED' : codes[type])),
    message: [said, step.meaning].filter(Boolean).join('. '),
    step: step.name,
    retryAfterMs,
    ...(step.neverAgain && { retryable: false }),
  };
}

/** For `catch`: ignores any error but the cancellation of the run. */
export function unlessCancelled(error: unknown): undefined {
  if (isCancellation(error)) throw error;
}
