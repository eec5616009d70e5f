/** One person, one reading: whatever attaches, locks, searches or erases reads an e-mail and a phone here. Pure. */
import { text } from './formats';
import type { JsonObject } from './lead';

const phoneFields = ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'] as const;

/** Characters that look alike are alike, whichever way they were typed. */
export const sameEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** By its digits alone; a leading 1 before ten digits is the country's. */
export function samePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

export const emailOf = (body: JsonObject): string | undefined => {
  const email = text(body.email);
  return email && sameEmail(email);
};

/** Of every phone field, the person's own first. */
export const phonesOf = (body: JsonObject): string[] => [
  ...new Set(phoneFields.flatMap((field) => samePhone(text(body[field]) ?? '') || [])),
];
