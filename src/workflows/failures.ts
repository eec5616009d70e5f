/** After a failed attempt, `pauseAfter` decides whether it is repeated, and when; `failureOf` words what the caller is told. */
import { retryAfterObeyedMs } from '../domain/deadlines';
import { growingPause } from '../domain/growing-pause';
import type { ErrorCode, Failure, JsonObject } from '../domain/lead';
import type { AttemptFailure } from '../domain/outcome';
import { fieldsNamed } from '../domain/fields-named';
import type { FailedAttempt } from './proxies';
import type { Step } from './step';

/** The pauses before the first retries. They are short enough that a lead goes out soon after its upstream's return. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000] as const;

/** The pause before the next try; undefined if there must be none. */
export function pauseAfter<T extends JsonObject>(failed: FailedAttempt, step: Step<T>, tries: number): number | undefined {
  if (failed.type !== 'NOT_SENT' && !(failed.type === 'UNKNOWN' && step.repeatable)) return undefined;
  // A read's first failure is often that of a stale connection, so the second try follows at once.
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
 * The failure that the caller is told: its code follows the outcome; its message names the upstream, what it did, and what that means for
 * the lead. `sent` has the fields that a refusal may name.
 */
export function failureOf(
  failed: FailedAttempt,
  step: Pick<Step<JsonObject>, 'name' | 'upstream' | 'repeatable' | 'late' | 'meaning' | 'neverAgain'>,
  sent: JsonObject = {},
): Failure {
  const { type, message, retryAfterMs } = failed;
  const unsafe = type === 'UNKNOWN' && !step.repeatable;
  const late = failed.code === 'UPSTREAM_TIMEOUT' ? step.late : undefined;
  const mayBeDone = late === 'OUTCOME_UNKNOWN';
  const unsure = (unsafe && 'it may have been accepted, so it is not sent again by itself') || (mayBeDone && 'the change may be done');
  const said = unsure ? `${message}: ${unsure}` : message;
  return {
    code: unsure ? 'OUTCOME_UNKNOWN' : (late ?? failed.code ?? codeOf(failed)),
    message: [said, step.meaning].filter(Boolean).join('. '),
    step: step.name,
    // A step that renews its access key may fail at the key service.
    upstream: failed.upstream ?? step.upstream,
    retryAfterMs,
    ...(type === 'REFUSED' && refusalOf(failed, sent)),
    ...(step.neverAgain && { retryable: false }),
  };
}

function codeOf({ type, held, limited }: FailedAttempt): ErrorCode {
  if (type !== 'NOT_SENT') return codes[type];
  if (held?.pause) return 'UPSTREAM_PAUSED';
  return limited ? 'RATE_LIMITED' : codes[type];
}

/** The HTTP status of a refusal, and the sent fields that it names. */
function refusalOf({ status, body }: FailedAttempt, sent: JsonObject): Pick<Failure, 'upstreamStatus' | 'details'> {
  const details = fieldsNamed(body, sent).map((field) => ({ field, message: 'the upstream names this field in its refusal' }));
  return { ...(status && { upstreamStatus: status }), ...(details.length > 0 && { details }) };
}
