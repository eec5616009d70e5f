/**
 * What became of a request that was sent out: the one function that everything about delivery rests on.
 * A send is repeated only with proof that it did not arrive; whatever is not understood is `unknown`, never guessed.
 */

import type { Held } from './hold';
import type { ErrorCode } from './lead';

/** What the HTTP client saw. `body` is the parsed JSON; absent when the answer was not JSON, cut short or too large. */
export type Attempt =
  | { readonly saw: 'no-connection'; readonly reason: string }
  | { readonly saw: 'no-answer'; readonly reason: string; readonly timedOut?: boolean }
  | { readonly saw: 'answer'; readonly status: number; readonly body?: unknown; readonly retryAfterMs?: number; readonly date?: string };

/** How an upstream's parsed 2xx body reads: accepted, a refusal in disguise, or nothing that we know. */
export type Reading<T> = { readonly accepted: T } | { readonly refused: true } | undefined;

export type Outcome<T> =
  | { readonly outcome: 'delivered'; readonly value: T }
  | { readonly outcome: 'refused'; readonly status: number; readonly body: unknown }
  | { readonly outcome: 'not-sent'; readonly reason: string; readonly retryAfterMs?: number; readonly limited?: true; readonly held?: Held }
  | { readonly outcome: 'unknown'; readonly reason: string };

export function outcomeOf<T>(attempt: Attempt, read: (body: unknown) => Reading<T>): Outcome<T> {
  if (attempt.saw === 'no-connection') return { outcome: 'not-sent', reason: attempt.reason };
  if (attempt.saw === 'no-answer') return { outcome: 'unknown', reason: attempt.reason };

  const { status, body, retryAfterMs } = attempt;
  if (status === 429) return { outcome: 'not-sent', reason: 'asked us to slow down (429)', limited: true, retryAfterMs };
  if (body === undefined) return { outcome: 'unknown', reason: `answered ${status} with something that cannot be read` };
  if (status >= 400 && status < 500) return { outcome: 'refused', status, body };
  if (status < 200 || status >= 300) return { outcome: 'unknown', reason: `answered ${status}` };

  const reading = read(body);
  if (!reading) return { outcome: 'unknown', reason: `answered ${status} in a form that is not its own` };
  return 'refused' in reading ? { outcome: 'refused', status, body } : { outcome: 'delivered', value: reading.accepted };
}

/** The types of failure that an activity ends with; plain text in the engine, so a closed list. */
export type AttemptFailure = 'NOT_SENT' | 'REFUSED' | 'KEY_REFUSED' | 'UNKNOWN' | 'CONFIG_ERROR';

/** A local send that did not begin, so that it goes out as an activity of its own. */
export const notHere = 'NOT_HERE';

/** It cannot be known now what the task did before: the engine hands the whole task out again, a little later. */
export const taskAgain = 'TASK_AGAIN';

/** What an activity's failure carries (encrypted). `message` is ours; `body` holds the upstream's own words. */
export interface AttemptNote {
  readonly message: string;
  readonly status?: number;
  readonly body?: unknown;
  readonly retryAfterMs?: number;
  readonly limited?: boolean;
  /** Not even tried: the upstream is held, and this is where the line is. */
  readonly held?: Held;
  /** What the caller is told, where the upstream's own words say more than the outcome does. */
  readonly code?: ErrorCode;
}
