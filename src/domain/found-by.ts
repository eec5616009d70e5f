/**
 * Reads from a body what a lead is found by, in one way for everything that attaches, locks, searches or erases: the person's e-mail and
 * phones, and the business terms (site, study, protocol). Pure.
 */
import { slugOf, text, withoutCountry } from './formats';
import type { JsonObject } from './lead';

const phoneFields = ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'] as const;

/** Ignores case, and unifies the ways to type the same character. */
export const sameEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** The digits alone, without the country's leading 1 before ten digits. */
export const samePhone = (phone: string): string => withoutCountry(phone.replace(/\D/g, ''));

export const emailOf = (body: JsonObject): string | undefined => {
  const email = text(body.email);
  return email && sameEmail(email);
};

/** The phones in all phone fields, the person's own first. */
export const phonesOf = (body: JsonObject): string[] => [
  ...new Set(phoneFields.flatMap((field) => samePhone(text(body[field]) ?? '') || [])),
];

/** Longer terms are cut, and found by their beginning. */
const termMost = 100;

/** The fields that hold each term in the different groups; the first one with a value counts. */
const names = {
  site: ['instanceName', 'site', 'location', 'siteId', 'site_id'],
  study: ['StudyID', 'studyId', 'study_id'],
  protocol: ['protocol'],
} as const;

export type Term = keyof typeof names;

export function term(body: JsonObject, wanted: Term): string | undefined {
  for (const name of names[wanted]) {
    const value = text(body[name]);
    if (value) return value;
  }
  return undefined;
}

const wordsOf = (value: string): string[] => value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Without percent signs and special forms of letters, such as a full-width `＠`. */
function plain(value: string): string {
  const decoded = value.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCodePoint(parseInt(code.slice(1), 16)));
  return decoded.normalize('NFKC');
}

const nameParts = [
  ['firstName', 'lastName'],
  ['first_name', 'last_name'],
] as const;

const birthFields = ['dob', 'date_of_birth', 'birthDate', 'dateOfBirth'] as const;

/** The digits of a date, as the year's first and as the year's last. */
const dateForms = (date: string): string[] => {
  const digits = date.replace(/\D/g, '');
  return digits.length === 8 ? [digits, digits.slice(4) + digits.slice(0, 4)] : [];
};

/** True if the term holds personal data, such as the person's name or phone. Such a term is not stored unencrypted. */
export function isPersonal(given: string, body: JsonObject): boolean {
  const value = plain(given);
  const words = wordsOf(value);
  const named = (field: string) => wordsOf(plain(text(body[field]) ?? ''));
  const holds = (part: readonly string[]) => part.length > 0 && part.every((word) => words.includes(word));
  const whole = words.join('');
  const fullNames = nameParts.map((parts) => parts.map((part) => named(part).join('')));
  const isName = fullNames.some(([first = '', last = '']) => whole !== '' && [first, last, first + last, last + first].includes(whole));
  const mailbox = wordsOf(plain(text(body.email) ?? '').split('@')[0] ?? '').join('');
  const digits = value.replace(/\D/g, '');
  const isPhone = phonesOf(body).some((phone) => phone.length >= 7 && digits.includes(phone.slice(-10)));
  const isBirth = birthFields.some((field) => dateForms(text(body[field]) ?? '').some((form) => dateForms(value).includes(form)));
  const isSpread = nameParts.some((parts) => parts.every((part) => holds(named(part))));
  return value.includes('@') || isPhone || isBirth || isName || isSpread || (mailbox !== '' && whole === mailbox);
}

/** A term as it is stored and searched: without characters that the engine's query language cannot hold. */
export const searchable = (value: string): string =>
  value
    .trim()
    .slice(0, termMost)
    .toWellFormed()
    .replace(/["'`\\\p{C}]/gu, '_');

/** Two names of a site with the same slug are one site. */
export const sameSite = (site: string): string => slugOf(searchable(site)) || searchable(site);
