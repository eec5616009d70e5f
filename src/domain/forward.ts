/** Groups B, C and D: a lead is made ready when it comes in, and sent on once. What a group says of itself to that. */
import { isObject, text } from './formats';
import type { JsonObject } from './lead';
import type { Mapped } from './mapping';
import type { Reading } from './outcome';

export type ForwardFlow = 'recruit' | 'leadforms' | 'leadforms-sandbox' | 'screening';

/** All that the run needs beside the caller's fields. A secret of the server is not in it: the sending activity adds that. */
export interface Prepared extends Mapped {
  /** The slug of the site whose key goes along. */
  readonly site?: string;
  /** Nothing is sent: the answer is the payload. */
  readonly bounce?: true;
}

export interface Receipt {
  readonly response: JsonObject;
  /** The patient's id in the upstream, where its answer names one. */
  readonly patientId?: string;
}

export interface Forwarder {
  /** The upstream, at the start of a sentence. */
  readonly who: string;
  /** The caller's field that holds the upstream credential. */
  readonly credential: string;
  /** Where the payload stands in the answer; absent where the answer has a message instead. */
  readonly payloadField?: string;
  readonly responseField: string;
  /** Reads a parsed 2xx. */
  read(body: unknown): Reading<Receipt>;
  /** The upstream's answer, as far as a person who looked there can tell. */
  confirmed(upstreamId: string): JsonObject;
}

/** Stands where a secret would be shown. */
export const concealed = '[secret]';

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

/** A 2xx that says no: `success` false, or errors in it. */
export const refusedInside = (body: unknown): boolean =>
  isObject(body) && (body.success === false || isFilled(body.errors) || isFilled(body.error));

/** Where `success` is the word for it: errors beside a yes are remarks. Undefined: neither a yes nor a no that one may build on. */
export function saysYes({ success, error, errors }: JsonObject): boolean | undefined {
  if (typeof success === 'boolean') return success;
  const isUnclear = ['false', '0'].includes(text(success)?.toLowerCase() ?? '') || isFilled(errors) || isFilled(error);
  return isUnclear ? undefined : true;
}

export function successBody(
  { payloadField, responseField }: Forwarder,
  message: string,
  payload: JsonObject,
  response: JsonObject,
): JsonObject {
  return { success: true, ...(payloadField ? { [payloadField]: payload } : { message }), [responseField]: response };
}

/** What stands beside an error: the payload where the group shows it, and the upstream's own words if it answered. */
export function errorContextOf({ payloadField, responseField }: Forwarder, payload: JsonObject, response: unknown): JsonObject {
  return { ...(payloadField && { [payloadField]: payload }), ...(response !== undefined && { [responseField]: response }) };
}
