/** What an activity's failure tells the run, and the run its caller. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { ErrorCode, Failure } from '../domain/lead';
import { notHere, taskAgain, type AttemptFailure, type AttemptNote } from '../domain/outcome';

export interface FailedAttempt extends AttemptNote {
  readonly type: AttemptFailure;
}

const types: readonly string[] = ['NOT_SENT', 'REFUSED', 'KEY_REFUSED', 'UNKNOWN', 'CONFIG_ERROR'] satisfies AttemptFailure[];
const isKnown = (type: unknown): type is AttemptFailure => typeof type === 'string' && types.includes(type);

/** A local activity's own error comes as it is, a regular one's inside another. */
const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** The local send did not begin. */
export function wasLeft(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === notHere;
}

/** A time-out, a dead worker, a bug: anything that we did not name ourselves has an unknown outcome. */
export function failedAttempt(error: unknown): FailedAttempt {
  if (isCancellation(error)) throw error;
  const cause = causeOf(error);
  // What is no failure of the run's own fails its task only.
  if (cause instanceof ApplicationFailure && cause.type === taskAgain) throw new Error(cause.message);
  if (cause instanceof ApplicationFailure && isKnown(cause.type)) {
    const note = cause.details?.[0] as AttemptNote | undefined;
    return { ...note, type: cause.type, message: note?.message ?? cause.message };
  }
  // It was never handed to a worker, so nothing has left.
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START')
    return { type: 'NOT_SENT', limited: true, message: "Its turn did not come in time before the upstream's limit" };
  return { type: 'UNKNOWN', message: 'The step ended without saying what became of it' };
}

/** What the caller is told: the code by the outcome, the message by who and what, and the truth about the lead. */
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

const codes: Readonly<Record<AttemptFailure, ErrorCode>> = {
  NOT_SENT: 'UPSTREAM_ERROR',
  REFUSED: 'UPSTREAM_REJECTED',
  KEY_REFUSED: 'UPSTREAM_ERROR',
  UNKNOWN: 'UPSTREAM_ERROR',
  CONFIG_ERROR: 'CONFIG_ERROR',
};

/** For `catch`: whatever failed may be passed over, but a run that is being cancelled ends. */
export function unlessCancelled(error: unknown): undefined {
  if (isCancellation(error)) throw error;
}
