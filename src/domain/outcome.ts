/**
 * Decides what an exchange proves: delivered, refused, not sent or unknown. A send is repeated only with proof that it did not arrive, so an
 * answer that cannot be understood is `unknown`. The file also lists the types of failure that activities report.
 */

import { isObject } from './formats';
import type { HoldNotice } from './hold';
import type { UpstreamName } from './upstreams';
import type { ErrorCode, JsonObject } from './lead';

/** An answer that was not understood, as text without secrets. `isCut`: the text is only the beginning. */
export interface RawAnswer {
  readonly contentType?: string;
  readonly bytes: number;
  readonly isCut?: true;
  readonly text: string;
}

/** The body of an answer. */
export interface AnswerBody {
  /** The parsed JSON; absent if the answer was not JSON, was truncated or was too large. */
  readonly body?: unknown;
  /** A description of a body that is not JSON, to follow "answered 200": `with HTML instead of JSON`. */
  readonly unreadable?: string;
  raw?(): RawAnswer;
}

/** The result of an HTTP request. `cutShort`: the first try had a short time-out, so its failure says nothing about the upstream. */
export type HttpResult =
  | { readonly saw: 'no-connection'; readonly reason: string; readonly cutShort?: boolean }
  | { readonly saw: 'no-answer'; readonly reason: string; readonly timedOut?: boolean; readonly cutShort?: boolean }
  | (AnswerBody & { readonly saw: 'answer'; readonly status: number; readonly retryAfterMs?: number; readonly date?: string });

/** The meaning of a 2xx body: accepted, a refusal, or unclear. `unclear` says what does not fit, to follow "answered 200". */
export type BodyReading<T> = { readonly accepted: T } | { readonly refused: true } | { readonly unclear: string };

/** A reading that lacks a value: `without `data.subjectId`` if it is absent, else what it should be. */
export const unclear = (value: unknown, name: string, expected: string): { readonly unclear: string } => ({
  unclear: value === undefined || value === null || value === '' ? `without \`${name}\`` : `with a \`${name}\` that is not ${expected}`,
});

export const notAnObject = { unclear: 'with JSON that is not an object' } as const;

export type Outcome<T> =
  | { readonly outcome: 'delivered'; readonly status?: number; readonly value: T }
  | { readonly outcome: 'refused'; readonly status: number; readonly body: unknown; readonly unreadable?: string; readonly raw?: RawAnswer }
  | {
      readonly outcome: 'not-sent';
      readonly reason: string;
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly limited?: true;
      readonly held?: HoldNotice;
      readonly cutShort?: boolean;
    }
  | {
      readonly outcome: 'unknown';
      readonly reason: string;
      readonly status?: number;
      readonly cutShort?: boolean;
      readonly raw?: RawAnswer;
      /** A sentence of the answer that may say what went wrong. It may contain personal data. */
      readonly words?: string;
    };

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

  const { status, body, unreadable = 'without JSON', retryAfterMs } = result;
  const unknown = (reason: string): Outcome<T> => {
    const raw = result.raw?.();
    return { outcome: 'unknown', reason: `answered ${status}${reason && ` ${reason}`}`, status, raw, words: sentenceIn(body ?? raw?.text) };
  };
  if (status === 429) return { outcome: 'not-sent', reason: 'rate-limited the request (429)', status, limited: true, retryAfterMs };
  if (status >= 300 && status < 400) return unknown('to redirect the request, which is not followed');
  if (body === undefined) return unknown(unreadable);
  if (status >= 400 && status < 500) return { outcome: 'refused', status, body };
  if (status < 200 || status >= 300) return unknown('');

  const reading = read(body);
  if ('unclear' in reading) return unknown(reading.unclear);
  return 'refused' in reading ? { outcome: 'refused', status, body } : { outcome: 'delivered', status, value: reading.accepted };
}

/** Statuses that ask for a retry: they are no refusal. */
const retryStatuses: readonly number[] = [408, 425, 429];

/** The same for a read. It changes nothing, so a 4xx with an unreadable body is a refusal, too. */
export function outcomeOfRead<T>(result: HttpResult, read: (body: unknown) => BodyReading<T>): Outcome<T> {
  const isBare4xx = result.saw === 'answer' && result.body === undefined && result.status >= 400 && result.status < 500;
  if (!isBare4xx || retryStatuses.includes(result.status)) return outcomeOf(result, read);
  const { status, unreadable } = result;
  return {
    outcome: 'refused',
    status,
    body: {},
    ...(unreadable !== undefined && { unreadable }),
    ...(result.raw && { raw: result.raw() }),
  };
}

const sentenceFields = ['message', 'error', 'detail', 'title', 'errors'] as const;

/** The first sentence in which an answer may say what is wrong. */
export function sentenceIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body.trim() || undefined;
  const [first] = Array.isArray(body) ? (body as unknown[]) : [];
  if (first !== undefined) return sentenceIn(first);
  if (!isObject(body)) return undefined;
  return sentenceFields.map((name) => sentenceIn(body[name])).find((sentence) => sentence !== undefined);
}

const retryAfterMostMs = 3_600_000;

/** Reads the Retry-After header: seconds or a date. */
export function retryAfterIn(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(waitMs) ? Math.min(Math.max(waitMs, 0), retryAfterMostMs) : undefined;
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
  /** The answer, if it was not understood. */
  readonly raw?: RawAnswer;
  /** A sentence of that answer, unchecked. */
  readonly words?: string;
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
