/**
 * What a person may see of a lead without asking to see it in clear. An allow-list: a field that nobody named here is masked,
 * so a field of tomorrow is, too. Personal values keep just enough to tell two people apart.
 */
import { isAbsent, isObject, pick } from './formats';
import type { JsonObject } from './lead';
import { allOrigins } from './mapping';

/** Stands for a value that nothing is shown of. */
export const hidden = '•••';

/** `first_name`, `FirstName` and `firstName` are one field. */
const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9[\]]/g, '');

/** Business terms: which site, study and protocol, and how far it is. */
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

/** The last four digits, when they are less than the whole. */
function phone(value: string): string {
  const digits = value.replace(/\D/g, '');
  return digits.length >= 7 ? `…-…-${digits.slice(-4)}` : hidden;
}

function birth(value: string): string {
  const [year] = /(?<!\d)(?:19|20)\d\d(?!\d)/.exec(value) ?? [];
  return year ? `${year}-…` : hidden;
}

export type Kind = 'name' | 'email' | 'phone' | 'birth';

const kindsByName: Readonly<Record<string, Kind>> = {
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

const masks: Readonly<Record<Kind, (value: string) => string>> = { name, email, phone, birth };

/** What of a person stands in a field of this name. */
export const kindOf = (fieldName: string): Kind | undefined => pick(kindsByName, plainName(fieldName));

/** A business term; one that holds an e-mail address is none. */
export const isShown = (fieldName: string, value: unknown): boolean =>
  shown.has(plainName(fieldName)) && !(typeof value === 'string' && value.includes('@'));

/** One value, by the name of its field. */
export function maskedValue(fieldName: string, value: unknown): unknown {
  if (isAbsent(value) || isShown(fieldName, value)) return value;
  const kind = kindOf(fieldName);
  return kind && (typeof value === 'string' || typeof value === 'number') ? masks[kind](String(value)) : hidden;
}

/** Any JSON, field by field; what is in a list goes by the name of the list. */
export function masked(value: unknown, fieldName = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, fieldName));
  if (isObject(value)) return maskedFields(value);
  return maskedValue(fieldName, value);
}

/** A name with anything but letters, digits and simple marks in it was made by somebody's data. */
const isPlainName = (given: string) => /^[\w.[\]-]{1,64}$/.test(given);

export const maskedFields = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [isPlainName(field) ? field : hidden, masked(value, field)]));

/** Said by the gateway itself, which repeats nothing of what a caller sent. */
const ours = [
  ...['success', 'message', 'error', 'leadId', 'flow', 'state', 'step', 'steps', 'attempts', 'createdAt', 'updatedAt', 'statusUrl'],
  ...['pending', 'sandbox'],
];

const maskedBut =
  (shownHere: readonly string[]) =>
  (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([field, value]) => [field, shownHere.includes(field) ? value : masked(value, field)]));

/** `GET /api/leads/{leadId}`: what happened is shown, what the lead became is masked. */
export const maskedLead = maskedBut(ours);

/** What a person decided about a lead: the words are for operators, the upstream's id is the lead's person's. */
export const maskedDecision = maskedBut(['at', 'verb', 'reason', 'by']);

/** The answer to a lead that was sent: an error is our own word with the record beside it, a success is the record. */
export const maskedAnswer = (body: JsonObject): JsonObject => (body.success === false ? maskedLead(body) : maskedFields(body));

const isOrigin = (value: unknown): boolean => allOrigins.some((origin) => origin === value);

/** The answer to a dry run: the message is ours, and so is where a value came from; the payload is the person's. */
export function maskedDryRun(body: JsonObject): JsonObject {
  if (body.success === false) return maskedLead(body);
  const origins = Object.entries(isObject(body.origins) ? body.origins : {}).map(([field, from]) => [
    isPlainName(field) ? field : hidden,
    isOrigin(from) ? from : hidden,
  ]);
  return { ...maskedFields(body), message: body.message, origins: Object.fromEntries(origins) };
}
