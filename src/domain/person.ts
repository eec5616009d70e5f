/** Reads a person's e-mail and phones in one way, for everything that attaches, locks, searches or erases by person. Pure. */
import { text } from './formats';
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
