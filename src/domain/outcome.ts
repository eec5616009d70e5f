/**
 * Decides what an exchange proves: delivered, refused, not sent or unknown. Everything about delivery rests on `outcomeOf`. A send is
 * repeated only with proof that it did not arrive; an answer that is not understood is `unknown`, never a guess. The file also names the
 * failures that activities end with.
 */

import type { Held } from './hold';
import type { UpstreamName } from './upstreams';
import type { ErrorCode, JsonObject } from './lead';

/**
 * The HTTP client's view of an exchange. `cutShort`: the quick first try was given up early, which says nothing about the upstream. `body`: the
 * parsed JSON; absent if it was no JSON, was cut off or was too large.
 */
export type Attempt =
  | { readonly saw: 'no-connection'; readonly reason: string; readonly cutShort?: boolean }
  | { readonly saw: 'no-answer'; readonly reason: string; readonly timedOut?: boolean; readonly cutShort?: boolean }
  | { readonly saw: 'answer'; readonly status: number; readonly body?: unknown; readonly retryAfterMs?: number; readonly date?: string };

/** How a 2xx body reads: accepted, a refusal inside a 2xx, or undefined if it cannot be understood. */
export type Reading<T> = { readonly accepted: T } | { readonly refused: true } | undefined;

export type Outcome<T> =
  | { readonly outcome: 'delivered'; readonly status?: number; readonly value: T }
  | { readonly outcome: 'refused'; readonly status: number; readonly body: unknown }
  | {
      readonly outcome: 'not-sent';
      readonly reason: string;
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly limited?: true;
      readonly held?: Held;
      readonly cutShort?: boolean;
    }
  | { readonly outcome: 'unknown'; readonly reason: string; readonly status?: number; readonly cutShort?: boolean };

/** The facts of an activity that stand beside its answer. A run takes them off its results: no caller gets them. */
export interface Answered {
  /** Kept for the exchange's story. */
  readonly httpStatus?: number;
  /** How many tries the engine made. Absent: one. */
  readonly tries?: number;
}

/** Takes off the result of an activity what is not the upstream's answer. */
export function bare<T extends JsonObject & Answered>(result: T): T {
  const { httpStatus: _, tries: __, ...answer } = result;
  return answer as T;
}

export const moreTries = ({ tries }: Answered): number => (tries ?? 1) - 1;

export function outcomeOf<T>(attempt: Attempt, read: (body: unknown) => Reading<T>): Outcome<T> {
  const { saw } = attempt;
  if (saw === 'no-connection') return { outcome: 'not-sent', reason: attempt.reason, cutShort: attempt.cutShort };
  if (saw === 'no-answer') return { outcome: 'unknown', reason: attempt.reason, cutShort: attempt.cutShort };

  const { status, body, retryAfterMs } = attempt;
  if (status === 429) return { outcome: 'not-sent', reason: 'asked us to slow down (429)', status, limited: true, retryAfterMs };
  if (body === undefined) return { outcome: 'unknown', reason: `answered ${status} with something that cannot be read`, status };
  if (status >= 400 && status < 500) return { outcome: 'refused', status, body };
  if (status < 200 || status >= 300) return { outcome: 'unknown', reason: `answered ${status}`, status };

  const reading = read(body);
  if (!reading) return { outcome: 'unknown', reason: `answered ${status} in a form that is not its own`, status };
  return 'refused' in reading ? { outcome: 'refused', status, body } : { outcome: 'delivered', status, value: reading.accepted };
}

/** Statuses that ask to come again later: they refuse nothing. */
const comeAgain: readonly number[] = [408, 425, 429];

/** The same for a read. It changes nothing, so a 4xx refuses it also if its body cannot be read. */
export function outcomeOfRead<T>(attempt: Attempt, read: (body: unknown) => Reading<T>): Outcome<T> {
  const isBare4xx = attempt.saw === 'answer' && attempt.body === undefined && attempt.status >= 400 && attempt.status < 500;
  return outcomeOf(isBare4xx && !comeAgain.includes(attempt.status) ? { ...attempt, body: {} } : attempt, read);
}

/** The types of failure that an activity ends with. The engine stores them unencrypted, so the list is closed. */
export const attemptFailures = ['NOT_SENT', 'REFUSED', 'KEY_REFUSED', 'UNKNOWN', 'CONFIG_ERROR'] as const;
export type AttemptFailure = (typeof attemptFailures)[number];

/** The details of an activity's failure, encrypted. `message` is ours; `body` holds the upstream's own words. */
export interface AttemptNote {
  readonly message: string;
  /** The upstream that was asked; absent if it is the step's own. */
  readonly upstream?: UpstreamName;
  readonly status?: number;
  readonly body?: unknown;
  readonly retryAfterMs?: number;
  readonly limited?: boolean;
  /** How many tries the engine made. Absent: one. */
  readonly tries?: number;
  /** This attempt made no request, so its failure does not count against the upstream. */
  readonly notAsked?: true;
  /** Set if nothing was tried because the upstream is held: the hold to wait at. */
  readonly held?: Held;
  /** The error code for the caller, if the upstream's answer says more than the outcome does. */
  readonly code?: ErrorCode;
}
