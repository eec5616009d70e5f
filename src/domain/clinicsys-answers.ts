/** How the answers of the key service, V1 and V2 read. What does not fit is nothing that we know. */
import { subjectId, type EmailCheck, type RtResponse } from './clinicsys';
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

/** A 2xx whose `error` says something is an error. */
const isV2Error = ({ error }: JsonObject): boolean =>
  typeof error === 'string' || text(object(error).message) !== undefined || text(object(error).code) !== undefined;

export function readV2List(body: unknown): Reading<V2Data> {
  if (!isObject(body)) return undefined;
  if (isV2Error(body)) return { refused: true };
  if (!Array.isArray(body.data)) return undefined;
  return { accepted: { data: body.data, error: object(body.error), meta: { totalItems: body.data.length, ...object(body.meta) } } };
}

/** An answer that contradicts itself, or names a subject without its id, is never read as "no such e-mail". */
export function readSubjects(body: unknown): Reading<EmailCheck> {
  const reading = readV2List(body);
  if (!reading || !('accepted' in reading)) return reading;
  const { data, meta } = reading.accepted;
  if (data.some((subject) => !isId(subjectId(subject)))) return undefined;
  if (data.length === 0 && (integer(meta.totalItems) ?? 0) > 0) return undefined;
  return { accepted: { ...reading.accepted, emailExists: data.length > 0 } };
}

/** Ids of the site system start at 1. */
const isId = (id: number | undefined): id is number => id !== undefined && id > 0;

export function readComment(body: unknown): Reading<JsonObject> {
  if (!isObject(body)) return undefined;
  if (isV2Error(body)) return { refused: true };
  const data = object(body.data);
  const subject = integer(data.subjectId);
  if (!isId(subject)) return undefined;
  return {
    accepted: { data: { subjectId: subject, comment: text(data.comment) ?? '' }, error: object(body.error), links: object(body.links) },
  };
}

/** V1 speaks with its `status`: 0 is an add, anything else a refusal in a 200. */
export function readV1(body: unknown): Reading<RtResponse> {
  const status = isObject(body) ? integer(body.status) : undefined;
  if (!isObject(body) || status === undefined) return undefined;
  if (status !== 0) return { refused: true };
  const patient = integer(body.PatientID);
  return !isId(patient) ? undefined : { accepted: { status, PatientID: patient, message: text(body.message) ?? '' } };
}

/** A 401, or a V1 or V2 body that says so under another status. */
export function saysKeyRefused(status: number, body: unknown): boolean {
  if (status === 401) return true;
  const answer = object(body);
  return integer(answer.status) === 401 || object(answer.error).code === 'UNAUTHORIZED';
}
