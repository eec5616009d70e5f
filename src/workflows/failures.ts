/**
 * Handles failed attempts: `failedAttempt` reads one from an activity's error, `pauseAfter` decides whether and when to retry, and
 * `failureOf` makes the failure that the caller gets.
 */
import { DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { retryAfterObeyedMs } from '../domain/deadlines';
import { isObject } from '../domain/formats';
import { isInClear } from '../domain/in-clear';
import { notAgain, type ErrorCode, type Failure, type JsonObject } from '../domain/lead';
import { fieldsNamed } from '../domain/fields-named';
import { quotable } from '../domain/masked-refusal';
import { attemptFailures, sentenceIn, type AttemptFailure, type AttemptNote } from '../domain/outcome';
import { growingPause } from './long-waits';
import type { FailedAttempt, Step } from './step';

/** Makes a failure of the workflow itself look like one that an activity reports. */
export const attemptError = (type: AttemptFailure, note: AttemptNote): ApplicationFailure =>
  ApplicationFailure.create({ type, message: note.message, nonRetryable: true, details: [note] });

const isNote = (note: unknown): note is AttemptNote => isObject(note) && !isInClear(note);

const isKnown = (type: unknown): type is AttemptFailure => attemptFailures.some((known) => known === type);

/** A local activity throws its own error; a regular one wraps it. After a time-out, the error of the last try says more. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure ? (lastTryError(cause) ?? cause) : cause;
}

/** The failure of the last try before an activity timed out. The SDK leaves it out of the error. */
export const lastTryError = (cause: TimeoutFailure): Error | undefined =>
  new DefaultFailureConverter().optionalFailureToOptionalError(cause.failure?.cause, defaultPayloadConverter);

/** An error that no activity reported on purpose means an unknown outcome: a time-out, a dead worker, a bug. */
export function failedAttempt(error: unknown): FailedAttempt {
  if (isCancellation(error)) throw error;
  const cause = causeOf(error);
  const note = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  // The type is stored unencrypted and could be forged; the note could not.
  if (cause instanceof ApplicationFailure && isKnown(cause.type) && isNote(note)) return { ...note, type: cause.type };
  // No worker took the request from the queue, so nothing was sent.
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START')
    return { type: 'NOT_SENT', limited: true, message: "The request waited too long for its turn under the upstream's limit" };
  return { type: 'UNKNOWN', message: 'The step ended without reporting its outcome' };
}

/** For `catch`: ignores every error except the cancellation of the run. */
export function unlessCancelled(error: unknown): undefined {
  if (isCancellation(error)) throw error;
}

/** The pauses before the first retries: short enough that a lead goes out soon after its upstream recovers. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000] as const;

/** The pause before the next try; undefined if there must be no next try. */
export function pauseAfter<T extends JsonObject>(failed: FailedAttempt, step: Step<T>, tries: number): number | undefined {
  if (failed.type !== 'NOT_SENT' && !(failed.type === 'UNKNOWN' && step.repeatable)) return undefined;
  // The first failure of a read is often a stale connection, so the second try follows at once.
  if (step.repeatable && tries === 0 && !failed.retryAfterMs) return 0;
  return Math.max(growingPause(pausesMs, tries), Math.min(failed.retryAfterMs ?? 0, retryAfterObeyedMs));
}

const codes: Readonly<Record<AttemptFailure, ErrorCode>> = {
  NOT_SENT: 'UPSTREAM_ERROR',
  REFUSED: 'UPSTREAM_REJECTED',
  KEY_REFUSED: 'UPSTREAM_ERROR',
  UNKNOWN: 'UPSTREAM_ERROR',
  CONFIG_ERROR: 'CONFIG_ERROR',
};

/**
 * The failure that the caller gets. Its code follows from the outcome; its message names the upstream, what it did, and what that means
 * for the lead. `sent` has the fields that a refusal may name.
 */
export function failureOf(
  failed: FailedAttempt,
  step: Pick<Step<JsonObject>, 'name' | 'upstream' | 'repeatable' | 'late' | 'meaning' | 'neverAgain'>,
  sent: JsonObject = {},
): Failure {
  const { type, message, retryAfterMs } = failed;
  const isUnknownSend = type === 'UNKNOWN' && !step.repeatable;
  const late = failed.code === 'UPSTREAM_TIMEOUT' ? step.late : undefined;
  const mayBeChanged = late === 'OUTCOME_UNKNOWN';
  const doubt =
    (isUnknownSend && 'it may have been accepted, so it is not sent again automatically') ||
    (mayBeChanged && 'the change may have been made');
  const quoted = quotable(failed.words ?? sentenceIn(failed.body), sent);
  const said = quoted === undefined ? message : `${message} ("${quoted}")`;
  const whatHappened = doubt ? `${said}: ${doubt}` : said;
  const failure: Failure = {
    code: doubt ? 'OUTCOME_UNKNOWN' : (late ?? failed.code ?? errorCodeOf(failed)),
    message: [whatHappened, step.meaning].filter(Boolean).join('. '),
    step: step.name,
    // A step that renews its access key may fail at the key service.
    upstream: failed.upstream ?? step.upstream,
    retryAfterMs,
    ...(type === 'REFUSED' && refusalOf(failed, sent)),
  };
  return step.neverAgain ? notAgain(failure) : failure;
}

function errorCodeOf({ type, held, limited }: FailedAttempt): ErrorCode {
  if (type !== 'NOT_SENT') return codes[type];
  if (held?.pause) return 'UPSTREAM_PAUSED';
  return limited ? 'RATE_LIMITED' : codes[type];
}

/** The HTTP status of a refusal, and the sent fields that it names. */
function refusalOf({ status, body }: FailedAttempt, sent: JsonObject): Pick<Failure, 'upstreamStatus' | 'details'> {
  const details = fieldsNamed(body, sent).map((field) => ({ field, message: 'the upstream names this field in its refusal' }));
  return { ...(status && { upstreamStatus: status }), ...(details.length > 0 && { details }) };
}
