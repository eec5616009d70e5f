/** How the answers of the key service, V1 and V2 read. What does not fit is nothing that we know. */
import type { EmailCheck, RtResponse } from './clinicsys';
import { integer, isObject, text } from './formats';
import type { JsonObject } from './lead';
import type { Reading } from './outcome';

const object = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** No key in the answer is no answer: never an empty key. */
export function readKey(body: unknown): Reading<{ key: string; created?: string }> {
  const key = isObject(body) && typeof body.key === 'string' ? body.key.trim() : '';
  return key ? { accepted: { key, created: text(object(body).created) } } : undefined;
}

export interface V2Data {
  readonly data: readonly unknown[];
  readonly error: JsonObject;
  readonly meta: JsonObject;
}

/** A 2xx whose `error.message` is not empty is an error. */
const isV2Error = (body: JsonObject): boolean => text(object(body.error).message) !== undefined || typeof body.error === 'string';

export function readV2List(body: unknown): Reading<V2Data> {
  if (!isObject(body)) return undefined;
  if (isV2Error(body)) return { refused: true };
  if (!Array.isArray(body.data)) return undefined;
  return { accepted: { data: body.data, error: object(body.error), meta: { totalItems: body.data.length, ...object(body.meta) } } };
}

export function readSubjects(body: unknown): Reading<EmailCheck> {
  const reading = readV2List(body);
  return reading && 'accepted' in reading ? { accepted: { ...reading.accepted, emailExists: reading.accepted.data.length > 0 } } : reading;
}

export function readComment(body: unknown): Reading<JsonObject> {
  if (!isObject(body)) return undefined;
  if (isV2Error(body)) return { refused: true };
  const data = object(body.data);
  const subjectId = integer(data.subjectId);
  if (subjectId === undefined) return undefined;
  return { accepted: { data: { subjectId, comment: text(data.comment) ?? '' }, error: object(body.error), links: object(body.links) } };
}

/** V1 speaks with its `status`: 0 is an add, anything else a refusal in a 200. */
export function readV1(body: unknown): Reading<RtResponse> {
  const status = isObject(body) ? integer(body.status) : undefined;
  if (!isObject(body) || status === undefined) return undefined;
  if (status !== 0) return { refused: true };
  const patient = integer(body.PatientID);
  return patient === undefined ? undefined : { accepted: { status, PatientID: patient, message: text(body.message) ?? '' } };
}

/** A 401, or a V1 or V2 body that says so under another status. */
export function saysKeyRefused(status: number, body: unknown): boolean {
  if (status === 401) return true;
  const answer = object(body);
  return integer(answer.status) === 401 || object(answer.error).code === 'UNAUTHORIZED';
}
