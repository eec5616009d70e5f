/**
 * Reads and formats single values: text, numbers, phones, dates, sex, answers, slugs. Formatting a value twice changes nothing.
 */
import type { JsonObject } from './lead';

/** The reason why a value is invalid, in words that never repeat it. */
export class InvalidValue {
  constructor(readonly message: string) {}
}

/** For every type of field, `""`, white space and null count as absent. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Replaces invisible characters, such as U+200B and U+00AD. The SDK freezes all exported objects in a workflow, and a frozen pattern with the
 * flag g cannot be used.
 */
export const replaceInvisible = (value: string, by: '' | ' '): string =>
  value.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800]/gu, by);

export function text(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** An integer, given as a number or as text. */
export function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

/** A number, given as a number or as text: `70.5`. */
export function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return Number.isFinite(read) ? (read as number) : undefined;
}

/** A length of time, such as `90s`, `10m`, `24h` or `7d`. */
export const durationForm = /^([0-9]{1,7})([smhd])$/;
const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Undefined if the text is no length of time. */
export function durationMs(written: string): number | undefined {
  const [, count, unit = ''] = durationForm.exec(written) ?? [];
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0);
}

/** True for a number that a spreadsheet has rewritten (5.55E+09, 5551234567.0), which may have lost digits. */
const isSpreadsheetNumber = (value: string): boolean => /^\s*\+?(\d+([.,]\d+)?e[+-]?\d+|\d{7,}[.,]\d{1,2})\s*$/i.test(value);

export function digitsOf(value: string): string | InvalidValue {
  if (isSpreadsheetNumber(value)) return new InvalidValue('must be written out digit by digit, not as a number such as 5.55E+09');
  return value.replace(/\D/g, '') || new InvalidValue('must hold digits');
}

/** Removes the country's leading 1 before ten digits. */
export const withoutCountry = (digits: string): string => (digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits);

/** Formats a phone of ten digits, or of eleven with a leading 1. Numbers of other countries are unchanged. */
export function phone(value: string): string | InvalidValue {
  const digits = digitsOf(value);
  if (digits instanceof InvalidValue) return digits;
  const national = withoutCountry(digits);
  if (national.length !== 10) return value.trim();
  return `${national.slice(0, 3)}-${national.slice(3, 6)}-${national.slice(6)}`;
}

export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const expectedDate = 'must be a real date, MM/DD/YYYY or YYYY-MM-DD, not in the future';

/** Reads a date. A date after `today` (YYYY-MM-DD) is invalid. */
export function date(value: string, today = '9999-12-31'): CalendarDate | InvalidValue {
  const parts = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$|^(?<usMonth>\d{2})\/(?<usDay>\d{2})\/(?<usYear>\d{4})$/.exec(
    value.trim(),
  )?.groups;
  if (!parts) return new InvalidValue(expectedDate);
  const year = Number(parts.year ?? parts.usYear);
  const month = Number(parts.month ?? parts.usMonth);
  const day = Number(parts.day ?? parts.usDay);
  const real = new Date(Date.UTC(year, month - 1, day));
  const exists = real.getUTCFullYear() === year && real.getUTCMonth() === month - 1 && real.getUTCDate() === day;
  if (!exists || isoDate({ year, month, day }) > today) return new InvalidValue(expectedDate);
  return { year, month, day };
}

const digits = (number: number, width: number) => String(number).padStart(width, '0');

export const isoDate = ({ year, month, day }: CalendarDate): string => `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;

/** `05-MAR-1980` */
export const monthDate = ({ year, month, day }: CalendarDate): string => `${digits(day, 2)}-${months[month - 1] ?? ''}-${digits(year, 4)}`;

const sexes: Readonly<Record<string, 'M' | 'F'>> = { m: 'M', f: 'F', male: 'M', female: 'F' };

export const sex = (value: string): 'M' | 'F' | undefined => pick(sexes, value.trim().toLowerCase());

const answers: Readonly<Record<string, 0 | 1 | 2>> = { yes: 1, no: 0, true: 1, false: 0, '0': 0, '1': 1, '2': 2 };

/** Yes 1, No 0, no answer 2. */
export function answer(value: unknown): 0 | 1 | 2 | InvalidValue {
  if (isAbsent(value)) return 2;
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  return pick(answers, word) ?? new InvalidValue('must be Yes, No or null');
}

/** Looks up an own property, so that `constructor` finds nothing. */
export function pick<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Removes undefined values. */
export const withoutUndefined = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Makes a slug: lower case, with one hyphen for each group of characters that are not letters or digits. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
