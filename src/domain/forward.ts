/**
 * Defines what the flows of groups B, C and D share: the type of a forwarder, how to read success in an upstream's answer, and the shape of
 * the gateway's answers. Their leads are prepared when they are accepted, and sent with one request.
 */
import { isObject, text } from './formats';
import type { forwardFlows, JsonObject } from './lead';
import type { MappedPayload } from './mapping';
import type { BodyReading } from './outcome';

export type ForwardFlow = (typeof forwardFlows)[number];

/**
 * A prepared lead: what the run needs in addition to the caller's fields. It has no secret of the server: the sending activity adds that.
 */
export interface PreparedLead extends MappedPayload {
  /** The slug of the site whose key is sent. */
  readonly site?: string;
  /** Nothing is sent; the answer shows the payload. */
  readonly bounce?: true;
}

export interface AcceptedLead {
  readonly response: JsonObject;
  /** The patient's id in the upstream, if the answer has one. */
  readonly patientId?: string;
}

export interface Forwarder {
  /** The upstream's name, to begin a sentence with. */
  readonly who: string;
  /** The caller's field for the upstream's credential. */
  readonly credential: string;
  /** The answer's field for the payload; absent if the answer has a message instead. */
  readonly payloadField?: string;
  readonly responseField: string;
  /** Reads the body of a 2xx. */
  read(body: unknown): BodyReading<AcceptedLead>;
  /** The answer to show after a person confirmed the lead with the upstream's id. */
  confirmed(upstreamId: string): JsonObject;
}

/** Replaces a secret. */
export const secretPlaceholder = '[secret]';

const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) ? Object.keys(value).length > 0 : Boolean(value);

/** True for a 2xx body that refuses: `success` is false, or it has errors. */
export const isRefusalBody = (body: unknown): boolean =>
  isObject(body) && (body.success === false || isFilled(body.errors) || isFilled(body.error));

/** Whether an answer accepts the lead. A boolean `success` decides, even if there are errors. Undefined if the answer is unclear. */
export function readSuccess({ success, error, errors }: JsonObject): boolean | undefined {
  if (typeof success === 'boolean') return success;
  const isUnclear = ['false', '0'].includes(text(success)?.toLowerCase() ?? '') || isFilled(errors) || isFilled(error);
  return isUnclear ? undefined : true;
}

/** An answer that has errors, or a `success` that is no boolean, may be either. */
export const noSuccess = { unclear: 'without `success` as true or false' } as const;

export function successBody(
  { payloadField, responseField }: Forwarder,
  message: string,
  payload: JsonObject,
  response: JsonObject,
): JsonObject {
  return { success: true, ...(payloadField ? { [payloadField]: payload } : { message }), [responseField]: response };
}

/** The error context: the payload if the group shows it, and the upstream's answer if there is one. */
export function errorContextOf({ payloadField, responseField }: Forwarder, payload: JsonObject, response: unknown): JsonObject {
  return { ...(payloadField && { [payloadField]: payload }), ...(response !== undefined && { [responseField]: response }) };
}
