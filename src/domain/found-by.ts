/**
 * Reads from a body what a lead is found by, in one way for everything that attaches, locks, searches or erases: the person's e-mail and
 * phones, and the business terms (site, study, protocol). Pure.
 */
import { slugOf, text } from './formats';
import type { JsonObject } from './lead';

const phoneFields = ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'] as const;

/** Ignores case, and unifies the ways to type the same character. */
export const sameEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** The digits alone, without the country's leading 1 before ten digits. */
export function samePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

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

const wordsOf = (value: string): string[] =>
  value
    .normalize()
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const nameParts = [
  ['firstName', 'lastName'],
  ['first_name', 'last_name'],
] as const;

/** True if the term holds personal data, such as the person's name or phone. Such a term is not stored unencrypted. */
export function isPersonal(value: string, body: JsonObject): boolean {
  const words = wordsOf(value);
  const holds = (part = '') => wordsOf(part).length > 0 && wordsOf(part).every((word) => words.includes(word));
  const digits = value.replace(/\D/g, '');
  const isPhone = phonesOf(body).some((phone) => phone.length >= 7 && digits.includes(phone.slice(-10)));
  return value.includes('@') || isPhone || nameParts.some((parts) => parts.every((part) => holds(text(body[part]))));
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
