/**
 * Masks personal data for people who may not see a lead in clear. It is an allow-list: a field that is not listed is masked. A masked
 * personal value keeps just enough to distinguish two people.
 */
import { isAbsent, isObject, pick } from './formats';
import type { JsonObject } from './lead';
import { allOrigins } from './mapping';

/** Replaces a value that is hidden completely. */
export const hidden = '•••';

/** Compares field names without case and punctuation: `first_name` and `firstName` are one. */
const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9[\]]/g, '');

/** Fields shown in clear: business terms such as site, study and protocol, and the progress of the lead. */
const shown: ReadonlySet<string> = new Set(
  [
    ...['success', 'leadId', 'flow', 'state', 'step', 'dryRun', 'bounceMode', 'emailExists', 'skipped', 'recovered', 'confirmed'],
    ...['count', 'totalItems', 'retryable', 'created', 'createdAt', 'updatedAt', 'startedAt', 'endedAt', 'attempts', 'statusUrl'],
    ...['account', 'instanceName', 'environment', 'site', 'siteId', 'siteName', 'location', 'locationId', 'accountId', 'formCode'],
    ...['study', 'studyId', 'studyName', 'protocol', 'sponsor', 'campaignName', 'referrerId', 'clientId'],
    ...['status', 'statusDate', 'recruitmentStatus', 'subjectStatus', 'code', 'heightUnit', 'weightUnit'],
    ...['patientReferralSourceCategoryKey', 'patientReferralSourceKey'],
  ].map(plainName),
);

const initial = (value: string) => /^./su.exec(value.trim())?.[0] ?? '';

const name = (value: string) => `${initial(value)}…`;

function email(value: string): string {
  const [, local, domain, top] = /^\s*([^@\s]+)@([^@\s]*)\.([^@\s.]+)\s*$/.exec(value) ?? [];
  return local && domain && top ? `${initial(local)}…@${initial(domain)}….${top}` : hidden;
}

/** Shows the last four digits of a phone of seven or more. */
function phone(value: string): string {
  const digits = value.replace(/\D/g, '');
  return digits.length >= 7 ? `…-…-${digits.slice(-4)}` : hidden;
}

function birth(value: string): string {
  const [year] = /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(value) ?? [];
  return year ? `${year}-…` : hidden;
}

export type PersonalKind = 'name' | 'email' | 'phone' | 'birth';

const kindsByName: Readonly<Record<string, PersonalKind>> = {
  firstname: 'name',
  middlename: 'name',
  lastname: 'name',
  fullname: 'name',
  email: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  cellphone: 'phone',
  homephone: 'phone',
  workphone: 'phone',
  dob: 'birth',
  dateofbirth: 'birth',
  birthdate: 'birth',
};

const masks: Readonly<Record<PersonalKind, (value: string) => string>> = { name, email, phone, birth };

/** The kind of personal data in a field of this name, if any. */
export const kindOf = (fieldName: string): PersonalKind | undefined => pick(kindsByName, plainName(fieldName));

/** True for a business term, unless it holds an e-mail address. */
export const isShown = (fieldName: string, value: unknown): boolean =>
  shown.has(plainName(fieldName)) && !(typeof value === 'string' && value.includes('@'));

/** Masks one value by the name of its field. */
export function maskedValue(fieldName: string, value: unknown): unknown {
  if (isAbsent(value) || isShown(fieldName, value)) return value;
  const kind = kindOf(fieldName);
  return kind && (typeof value === 'string' || typeof value === 'number') ? masks[kind](String(value)) : hidden;
}

/** Masks any JSON, field by field. The items of a list are masked by the list's name. */
export function masked(value: unknown, fieldName = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, fieldName));
  if (isObject(value)) return maskedFields(value);
  return maskedValue(fieldName, value);
}

/** A field name with other characters may itself be personal data. */
export const isSafeName = (given: string) => /^[\w.[\]-]{1,64}$/.test(given);

export const maskedFields = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [isSafeName(field) ? field : hidden, masked(value, field)]));

/** Fields of an error or pending answer that the gateway writes; they repeat nothing that a caller sent. */
const ownFields = ['success', 'message', 'error', 'leadId', 'state', 'pending', 'statusUrl'];

const maskedBut =
  (shownHere: readonly string[]) =>
  (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([field, value]) => [field, shownHere.includes(field) ? value : masked(value, field)]));

/** Masks an error or a pending answer, except for the gateway's own fields. */
const maskedFailure = maskedBut(ownFields);

/** Masks a decision: its reason is shown to operators, the upstream's id is personal data. */
export const maskedDecision = maskedBut(['at', 'verb', 'reason', 'by']);

/** Masks the answer to a lead: an error has the gateway's text with the record as its error context, a success is the record itself. */
export const maskedAnswer = (body: JsonObject): JsonObject => (body.success === false ? maskedFailure(body) : maskedFields(body));

const isOrigin = (value: unknown): boolean => allOrigins.some((origin) => origin === value);

/** Masks the answer to a dry run: the message and the origins are shown, the payload is masked. */
export function maskedDryRun(body: JsonObject): JsonObject {
  if (body.success === false) return maskedFailure(body);
  const origins = Object.entries(isObject(body.origins) ? body.origins : {}).map(([field, from]) => [
    isSafeName(field) ? field : hidden,
    isOrigin(from) ? from : hidden,
  ]);
  const { message, warnings } = body;
  return { ...maskedFields(body), message, ...(warnings !== undefined && { warnings }), origins: Object.fromEntries(origins) };
}
