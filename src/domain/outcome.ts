/**
 * Decides what an exchange proves: delivered, refused, not sent or unknown. A send is repeated only with proof that it did not arrive, so an
 * answer that cannot be understood is `unknown`. The file also lists the types of failure that activities report.
 */

import type { HoldNotice } from './hold';
import type { UpstreamName } from './upstreams';
import type { ErrorCode, JsonObject } from './lead';

/**
 * The result of an HTTP request. `cutShort`: the first try had a short time-out, so its failure says nothing about the upstream. `body`: the
 * parsed JSON; absent if the answer was not JSON, was truncated or was too large.
 */
export type HttpResult =
  | { readonly saw: 'no-connection'; readonly reason: string; readonly cutShort?: boolean }
  | { readonly saw: 'no-answer'; readonly reason: string; readonly timedOut?: boolean; readonly cutShort?: boolean }
  | { readonly saw: 'answer'; readonly status: number; readonly body?: unknown; readonly retryAfterMs?: number; readonly date?: string };

/** The meaning of a 2xx body: accepted, or a refusal; undefined if it cannot be understood. */
export type BodyReading<T> = { readonly accepted: T } | { readonly refused: true } | undefined;

export type Outcome<T> =
  | { readonly outcome: 'delivered'; readonly status?: number; readonly value: T }
  | { readonly outcome: 'refused'; readonly status: number; readonly body: unknown }
  | {
      readonly outcome: 'not-sent';
      readonly reason: string;
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly limited?: true;
      readonly held?: HoldNotice;
      readonly cutShort?: boolean;
    }
  | { readonly outcome: 'unknown'; readonly reason: string; readonly status?: number; readonly cutShort?: boolean };

/** Facts that an activity adds to the upstream's answer. A run removes them from its results, so no caller gets them. */
export interface ExchangeFacts {
  /** The HTTP status of the answer, for the lead's exchanges. */
  readonly httpStatus?: number;
  /** The number of tries by the engine. Absent: one. */
  readonly tries?: number;
}

/** Removes the added facts from the result of an activity. */
export function withoutFacts<T extends JsonObject & ExchangeFacts>(result: T): T {
  const { httpStatus: _, tries: __, ...answer } = result;
  return answer as T;
}

export const extraTries = ({ tries }: ExchangeFacts): number => (tries ?? 1) - 1;

export function outcomeOf<T>(result: HttpResult, read: (body: unknown) => BodyReading<T>): Outcome<T> {
  const { saw } = result;
  if (saw === 'no-connection') return { outcome: 'not-sent', reason: result.reason, cutShort: result.cutShort };
  if (saw === 'no-answer') return { outcome: 'unknown', reason: result.reason, cutShort: result.cutShort };

  const { status, body, retryAfterMs } = result;
  if (status === 429) return { outcome: 'not-sent', reason: 'rate-limited the request (429)', status, limited: true, retryAfterMs };
  if (body === undefined) return { outcome: 'unknown', reason: `answered ${status} with an unreadable body`, status };
  if (status >= 400 && status < 500) return { outcome: 'refused', status, body };
  if (status < 200 || status >= 300) return { outcome: 'unknown', reason: `answered ${status}`, status };

  const reading = read(body);
  if (!reading) return { outcome: 'unknown', reason: `answered ${status} in an unexpected format`, status };
  return 'refused' in reading ? { outcome: 'refused', status, body } : { outcome: 'delivered', status, value: reading.accepted };
}

/** Statuses that ask for a retry: they are no refusal. */
const retryStatuses: readonly number[] = [408, 425, 429];

/** The same for a read. It changes nothing, so a 4xx with an unreadable body is a refusal, too. */
export function outcomeOfRead<T>(result: HttpResult, read: (body: unknown) => BodyReading<T>): Outcome<T> {
  const isBare4xx = result.saw === 'answer' && result.body === undefined && result.status >= 400 && result.status < 500;
  return outcomeOf(isBare4xx && !retryStatuses.includes(result.status) ? { ...result, body: {} } : result, read);
}

/** The types of failure that activities report. The engine stores them unencrypted, so there are no others. */
export const attemptFailures = ['NOT_SENT', 'REFUSED', 'KEY_REFUSED', 'UNKNOWN', 'CONFIG_ERROR'] as const;
export type AttemptFailure = (typeof attemptFailures)[number];

/** The details of an activity's failure, encrypted. `message` is the gateway's; `body` is the upstream's answer. */
export interface AttemptNote {
  readonly message: string;
  /** The upstream that was called; absent if it is the step's. */
  readonly upstream?: UpstreamName;
  readonly status?: number;
  readonly body?: unknown;
  readonly retryAfterMs?: number;
  readonly limited?: boolean;
  /** The number of tries by the engine. Absent: one. */
  readonly tries?: number;
  /** This attempt made no request, so its failure does not count against the upstream. */
  readonly notAsked?: true;
  /** Set if the upstream is held, so no request was made: the hold to wait at. */
  readonly held?: HoldNotice;
  /** The error code for the caller, if the upstream's answer is more specific than the outcome. */
  readonly code?: ErrorCode;
}
