/** An outcome that is not a delivery, as the typed failure that the run reads and the Temporal UI shows. */
import { ApplicationFailure } from '@temporalio/activity';
import type { AttemptFailure, AttemptNote, Outcome } from '../domain/outcome';

/** Never retried by the engine: the workflow decides, so that each decision is an event that a person can see. */
export const attemptFailure = (type: AttemptFailure, note: AttemptNote): ApplicationFailure =>
  ApplicationFailure.create({ type, message: note.message, nonRetryable: true, details: [note] });

/** The delivered value, or the failure. `who` is the upstream's name in a sentence; `keyRefused` tells a bad key from another refusal. */
export function delivered<T>(who: string, outcome: Outcome<T>, keyRefused: (status: number, body: unknown) => boolean = () => false): T {
  switch (outcome.outcome) {
    case 'delivered':
      return outcome.value;
    case 'refused':
      if (keyRefused(outcome.status, outcome.body))
        throw attemptFailure('KEY_REFUSED', { message: `${who} refused the access key`, status: outcome.status });
      throw attemptFailure('REFUSED', { message: `${who} refused the request`, status: outcome.status, body: outcome.body });
    case 'not-sent':
      throw attemptFailure('NOT_SENT', {
        message: `${who} ${outcome.reason}`,
        retryAfterMs: outcome.retryAfterMs,
        limited: outcome.limited,
        held: outcome.held,
      });
    case 'unknown':
      throw attemptFailure('UNKNOWN', { message: `${who} ${outcome.reason}` });
  }
}
