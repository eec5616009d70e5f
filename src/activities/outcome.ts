/** Turns the outcome of an exchange into the result of an activity, or into the typed failure that the run reads. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import { cutText } from '../domain/answer-text';
import { retryAfterObeyedMs } from '../domain/deadlines';
import type { KeptBackNote } from '../domain/kept-back';
import type { ExchangeFacts, AttemptFailure, AttemptNote, Outcome, RawAnswer } from '../domain/outcome';
import type { UpstreamName } from '../domain/upstreams';

/** Failures after which the engine may retry a read. A send is never retried by the engine. */
const retriedTypes: readonly AttemptFailure[] = ['NOT_SENT', 'UNKNOWN'];

/** The engine drops the details of a retried failure of more than 4 KB. */
const briefMostBytes = 512;

/** Shortens an answer of which there may be many: of a read that the engine or a hold tries again and again. */
export function briefly(raw: RawAnswer | undefined): RawAnswer | undefined {
  const text = raw && cutText(raw.text, briefMostBytes);
  return raw && text !== undefined && text !== raw.text ? { ...raw, isCut: true, text } : raw;
}

/** Thrown if a hold or a pause kept the request back. The interceptor makes it the result of the activity. */
export class KeptBackError extends Error {
  override name = 'KeptBackError';
  constructor(readonly note: KeptBackNote) {
    super(note.message);
  }
}

/** The number of the engine's try; absent in the first. */
const triesOf = (attempt: number): Pick<AttemptNote, 'tries'> => (attempt > 1 ? { tries: attempt } : {});

/** The error that an activity fails with. */
export function attemptFailure(type: AttemptFailure, { retryAfterMs, raw, ...note }: AttemptNote): ApplicationFailure {
  const { attempt, retryPolicy } = activityInfo();
  const isRetried = retriedTypes.includes(type);
  const kept = isRetried && retryPolicy?.maximumAttempts !== 1 ? briefly(raw) : raw;
  return ApplicationFailure.create({
    type,
    message: note.message,
    nonRetryable: !isRetried,
    details: [{ ...note, ...(kept && { raw: kept }), ...(retryAfterMs !== undefined && { retryAfterMs }), ...triesOf(attempt) }],
    ...(retryAfterMs !== undefined && { nextRetryDelay: Math.min(retryAfterMs, retryAfterObeyedMs) }),
  });
}

/** A longer sentence is never shown. */
const longestWords = 200;

interface FailureContext {
  readonly upstream?: UpstreamName;
  /** Returns true if the refusal is about the access key. */
  keyRefused?(status: number, body: unknown): boolean;
}

/** Returns the delivered value, or throws the failure or that the request was kept back. `who` names the upstream in a sentence. */
export function unwrapOutcome<T>(who: string, outcome: Outcome<T>, { upstream, keyRefused }: FailureContext = {}): T {
  switch (outcome.outcome) {
    case 'delivered':
      return outcome.value;
    case 'refused':
      if (keyRefused?.(outcome.status, outcome.body))
        throw attemptFailure('KEY_REFUSED', { upstream, message: `${who} refused the access key`, status: outcome.status });
      throw attemptFailure('REFUSED', {
        upstream,
        message: `${who} refused the request${outcome.unreadable ? `: it answered ${outcome.status} ${outcome.unreadable}` : ''}`,
        status: outcome.status,
        body: outcome.body,
        raw: outcome.raw,
      });
    case 'not-sent': {
      const note = { upstream, message: `${who} ${outcome.reason}` };
      if (outcome.held) throw new KeptBackError({ ...note, held: outcome.held, ...triesOf(activityInfo().attempt) });
      throw attemptFailure('NOT_SENT', {
        ...note,
        status: outcome.status,
        retryAfterMs: outcome.retryAfterMs,
        limited: outcome.limited,
      });
    }
    case 'unknown':
      throw attemptFailure('UNKNOWN', {
        upstream,
        message: `${who} ${outcome.reason}`,
        status: outcome.status,
        raw: outcome.raw,
        words: outcome.words?.slice(0, longestWords),
      });
  }
}

/** The HTTP status of a delivered answer, and the tries that it took. */
export function factsOf(outcome: Outcome<unknown>): ExchangeFacts {
  const { attempt } = activityInfo();
  return {
    ...(outcome.outcome === 'delivered' && outcome.status !== undefined && { httpStatus: outcome.status }),
    ...triesOf(attempt),
  };
}
