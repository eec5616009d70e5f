/**
 * Maps leads of group E, the site system: makes the payload for V1 and the comment, and reads the answers of the key service, V1 and V2.
 */
import { answer, date, integer, isAbsent, isObject, isoDate, phone, pick, sex, text, without, InvalidValue } from './formats';
import type { JsonObject, siteSystemFlows } from './lead';
import { notAnObject, unclear, type BodyReading } from './outcome';

export type Flow = (typeof siteSystemFlows)[number];
export type Account = 'ERG' | 'Futuro';
export type FlowRecord = JsonObject;

export const flowSteps = ['get-api-key', 'check-email', 'format-data', 'send-to-rt', 'send-comments'] as const;
export type FlowStep = (typeof flowSteps)[number];

/** Fields that only a step may set: a caller's values under these names are dropped. */
const stepFields = [
  'key',
  'created',
  'data',
  'error',
  'meta',
  'emailExists',
  'emailCheckResult',
  'rtRequestPayload',
  'rtResponse',
  'rtV2Response',
];

/** Added to the error of a failed comment. */
export const leadAlreadySent = 'The lead itself is in the site system and must not be sent again';

const questionField = /^q(\d+)$/;

const commentMost = 2000;
const answerWords: Readonly<Record<number, string>> = { 0: 'No', 1: 'Yes' };

const commentParts: readonly (readonly [label: string, field: string])[] = [
  ['Recruitment Status', 'recruitmentStatus'],
  ['Weight', 'weight'],
  ['Height', 'height'],
  ['Ethnicity', 'ethnicity'],
  ['Race', 'race'],
  ['Photo', 'photoUpload'],
];

const accounts: readonly Account[] = ['ERG', 'Futuro'];

export interface EmailCheck extends V2Data {
  readonly emailExists: boolean;
}

export interface RtResponse {
  readonly status: number;
  readonly PatientID: number;
  readonly message: string;
}

export const accountNamed = (name: string): Account | undefined =>
  accounts.find((account) => account.toLowerCase() === name.trim().toLowerCase());

export const accountOf = (record: FlowRecord): Account => accountNamed(text(record.account) ?? 'ERG') ?? 'ERG';

/** Names an instance of the site system: each is held and paused separately. */
export const siteInstance = (account: Account, instanceName: string): string => `${account}/${instanceName}`;

export const isQuestion = (name: string): boolean => questionField.test(name);

export const callerFields = (record: FlowRecord): FlowRecord => without(record, stepFields);

/** Returns the fields that formatting changes. A value that cannot be read is left out. */
export function formatFields(record: FlowRecord, flow: Flow, today: string): FlowRecord {
  const additions: Record<string, unknown> = {};
  const set = (name: string, value: unknown) => {
    if (value !== undefined && !(value instanceof InvalidValue)) additions[name] = value;
  };
  const phoneText = text(record.phone);
  const dobText = text(record.dob);
  const sexText = text(record.sex);
  set('phone', phoneText && phone(phoneText));
  set('dob', dobText && dobOf(dobText, today));
  set('sex', sexText && sex(sexText));
  if (flow === 'with-prescreen') for (const name of Object.keys(record).filter(isQuestion)) set(name, answer(record[name]));
  return additions;
}

function dobOf(value: string, today: string): string | InvalidValue {
  const parsed = date(value, today);
  return parsed instanceof InvalidValue ? parsed : isoDate(parsed);
}

/** V1's fields, in the order of its form. An absent value leaves its field out. */
const v1Fields: readonly (readonly [name: string, from: (record: FlowRecord) => unknown])[] = [
  ['StudyID', (record) => integer(record.StudyID)],
  ['ReferrerID', (record) => integer(record.ReferrerID)],
  ['FirstName', (record) => text(record.firstName)],
  ['LastName', (record) => text(record.lastName)],
  ['Email', (record) => text(record.email)],
  ['Phone', (record) => text(record.phone)],
  ['DOB', (record) => text(record.dob)],
  ['Sex', (record) => sex(text(record.sex) ?? '')],
  ['Zip', (record) => text(record.zipCode)],
  ['Weight', (record) => text(record.weight)],
  ['Height', (record) => text(record.height)],
  ['Ethnicity', (record) => text(record.ethnicity)],
  ['Race', (record) => text(record.race)],
];

export const v1FieldNames: readonly string[] = v1Fields.map(([name]) => name);

/** The name under which a field of V1 is sent; the map is CLINICSYS_V1_FIELD_MAP. */
export const v1NameOf = (map: Readonly<Record<string, string>>, field: string): string => pick(map, field) ?? field;

const v1Question = (id: string): string => `questions[${id}]`;
export const isV1Question = (name: string): boolean => /^questions\[\d+\]$/.test(name);
export const isV1Field = (name: string): boolean => v1FieldNames.includes(name) || isV1Question(name);

/**
 * Makes `rtRequestPayload`: a flat object without the access key. It formats the values first, because the caller of a single step may not
 * have formatted them.
 */
export function rtRequestPayload(given: FlowRecord, flow: Flow, today: string): JsonObject {
  const record = { ...given, ...formatFields(given, flow, today) };
  const fields = v1Fields.map(([name, from]) => [name, from(record)] as const);
  const questions = flow === 'with-prescreen' ? Object.keys(record).filter(isQuestion) : [];
  const answers = questions.map((name) => [v1Question(name.slice(1)), record[name]] as const);
  return Object.fromEntries([...fields, ...answers].filter(([, value]) => !isAbsent(value)));
}

/** The result of send-to-rt if the person is already in the site system: nothing is sent. */
export function skippedSendResult(record: FlowRecord): JsonObject {
  return {
    rtRequestPayload: null,
    rtResponse: {
      status: 0,
      PatientID: firstSubjectId(record),
      message: 'The e-mail already exists: no second patient was made',
      skipped: true,
    },
  };
}

export function firstSubjectId(record: FlowRecord): number | undefined {
  return Array.isArray(record.data) ? subjectId(record.data[0]) : undefined;
}

export function subjectId(subject: unknown): number | undefined {
  return isObject(subject) ? integer(subject.subjectId) : undefined;
}

export function patientId(record: FlowRecord): number | undefined {
  return isObject(record.rtResponse) ? patientIdOf(record.rtResponse.PatientID) : undefined;
}

/** Ids start at 1, so patient 0 is nobody. */
export function patientIdOf(value: unknown): number | undefined {
  const id = integer(value);
  return id !== undefined && id > 0 ? id : undefined;
}

/**
 * Makes the comment: one line, `(<MM/DD/YYYY> - <condition> - <protocol>) Label: value | …`. It leaves out empty values and unanswered
 * questions.
 */
export function comment(record: FlowRecord, flow: Flow, day: string): string {
  const head = `(${day} - ${text(record.condition) ?? 'N/A'} - ${text(record.protocol) ?? 'N/A'})`;
  const parts = commentParts.flatMap(([label, field]) => {
    const value = text(record[field]);
    return value ? [`${label}: ${value}`] : [];
  });
  const questions = flow === 'with-prescreen' ? Object.keys(record).filter(isQuestion) : [];
  const answered = questions.flatMap((name) => {
    const given = answer(record[name]);
    const word = given instanceof InvalidValue ? undefined : answerWords[given];
    return word ? [`Q${name.slice(1)}: ${word}`] : [];
  });
  return oneLine([head, [...parts, ...answered].join(' | ')].join(' '))
    .slice(0, commentMost)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd();
}

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

const calendars = new Map<string, Intl.DateTimeFormat>();

/** Cached, because creating a formatter takes longer than the rest of the comment. It has no state, so replays are not affected. */
function calendarOf(timeZone: string): Intl.DateTimeFormat {
  const formatter =
    calendars.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, month: '2-digit', day: '2-digit', year: 'numeric' });
  calendars.set(timeZone, formatter);
  return formatter;
}

/** The date of a comment, in the site's time zone. */
export const commentDay = (now: Date, timeZone: string): string => calendarOf(timeZone).format(now);

const positive = 'a whole number above 0';

const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Reads the access key. An answer without one is unreadable. */
export function readKey(body: unknown): BodyReading<{ key: string; created?: string }> {
  if (!isObject(body)) return notAnObject;
  const key = typeof body.key === 'string' ? body.key.trim() : '';
  return key ? { accepted: { key, created: text(body.created) } } : unclear(body.key, 'key', 'a text');
}

/** The fields of the record that report a refusal of the key service, in the format of a V2 error. */
export function keyRefusalFields(refusal: unknown): JsonObject {
  const { error, message } = objectOrEmpty(refusal);
  const words = text(error) ?? text(objectOrEmpty(error).message) ?? text(message);
  return { error: { message: ['The key service refused to give an access key', words].filter(Boolean).join(': ') } };
}

export interface V2Data {
  readonly data: readonly unknown[];
  readonly error: JsonObject;
  readonly meta: JsonObject;
}

/** V2 may report an error in a 2xx. An empty text and the code 0 are no error. */
const isV2Error = ({ error }: JsonObject): boolean =>
  [typeof error === 'string' && error, objectOrEmpty(error).message, objectOrEmpty(error).code].some(
    (said) => said !== 0 && text(said) !== undefined,
  );

export function readV2List(body: unknown): BodyReading<V2Data> {
  if (!isObject(body)) return notAnObject;
  if (isV2Error(body)) return { refused: true };
  if (!Array.isArray(body.data)) return unclear(body.data, 'data', 'a list');
  return {
    accepted: { data: body.data, error: objectOrEmpty(body.error), meta: { totalItems: body.data.length, ...objectOrEmpty(body.meta) } },
  };
}

/** Reads an e-mail look-up. An inconsistent answer, or a subject without an id, is unreadable, never "no such e-mail". */
export function readSubjects(body: unknown): BodyReading<EmailCheck> {
  const reading = readV2List(body);
  if (!reading || !('accepted' in reading)) return reading;
  const { data, meta } = reading.accepted;
  const nameless = data.find((subject) => patientIdOf(subjectId(subject)) === undefined);
  if (nameless !== undefined) return unclear(objectOrEmpty(nameless).subjectId, 'data[].subjectId', positive);
  if (data.length === 0 && (integer(meta.totalItems) ?? 0) > 0)
    return { unclear: 'with an empty `data` although `meta.totalItems` is not 0' };
  return { accepted: { ...reading.accepted, emailExists: data.length > 0 } };
}

export function readComment(body: unknown): BodyReading<JsonObject> {
  if (!isObject(body)) return notAnObject;
  if (isV2Error(body)) return { refused: true };
  const data = objectOrEmpty(body.data);
  const subject = patientIdOf(data.subjectId);
  if (subject === undefined) return unclear(data.subjectId, 'data.subjectId', positive);
  return {
    accepted: {
      data: { subjectId: subject, comment: text(data.comment) ?? '' },
      error: objectOrEmpty(body.error),
      links: objectOrEmpty(body.links),
    },
  };
}

/** V1 answers 200 in any case; its `status` 0 means added, anything else means refused. */
export function readV1(body: unknown): BodyReading<RtResponse> {
  if (!isObject(body)) return notAnObject;
  const status = integer(body.status);
  if (status === undefined) return unclear(body.status, 'status', 'a whole number');
  if (status !== 0) return { refused: true };
  const patient = patientIdOf(body.PatientID);
  if (patient === undefined) return unclear(body.PatientID, 'PatientID', positive);
  return { accepted: { status, PatientID: patient, message: text(body.message) ?? '' } };
}

/** True for a 401, and for a V1 or V2 body that reports one under another status. */
export function isKeyRefusal(status: number, body: unknown): boolean {
  if (status === 401) return true;
  const answer = objectOrEmpty(body);
  return integer(answer.status) === 401 || objectOrEmpty(answer.error).code === 'UNAUTHORIZED';
}
