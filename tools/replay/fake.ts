/**
 * Replaces personal data with fake data: each word by one of the same form, and equal words by equal ones. The salt is random and not
 * stored, so that nobody can find the person by trying values.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { date, isoDate, monthDate, InvalidValue, type CalendarDate } from '../../src/domain/formats';

export interface Fake {
  /** Adds a phone to replace, in any punctuation. */
  addPhone(value: string): void;
  /** Adds words to keep, unless they are also words of a person. */
  keepWords(value: string): void;
  /** Adds words of a person, which are always replaced. */
  replaceWords(value: string): void;
  text(value: string): string;
  number(value: number): number;
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const word = /[\p{L}\p{M}\p{N}]+/gu;
const dates = String.raw`(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])|(?<![\d/])\d{2}/\d{2}/\d{4}(?![\d/])|(?<![\w-])\d{2}-[A-Z]{3}-\d{4}(?![\w-])`;
const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');

export function createFake({ salt = randomBytes(16), keptDates = [] }: { salt?: Buffer; keptDates?: readonly string[] } = {}): Fake {
  const kept = new Set<string>();
  const taken = new Set<string>();
  const phones = new Set<string>();
  const made = new Map<string, string>();
  const used = new Set<string>();
  const days = new Set(keptDates);

  const random = (value: string, tries: number) => createHmac('sha256', salt).update(`${tries}\0${value}`).digest();

  /**
   * Replaces a word: letters by letters, digits by digits, in the same length. As long as there are enough, different words get different
   * replacements, and none of these is a word of the person.
   */
  function scrambled(given: string): string {
    const key = given.toLowerCase();
    const known = made.get(key);
    if (known !== undefined) return known;
    let fake = key;
    const isBad = () => fake === key || used.has(fake) || taken.has(fake);
    for (let tries = 0; tries < 50 && isBad(); tries++) fake = inForm(key, random(key, tries));
    made.set(key, fake);
    used.add(fake);
    return fake;
  }

  function replaced(given: string): string {
    if (/^\d$/.test(given) || (kept.has(given.toLowerCase()) && !taken.has(given.toLowerCase()))) return given;
    return scrambled(given).replace(/./g, (letter, at: number) => (isUpper(given[at]) ? letter.toUpperCase() : letter));
  }

  function otherDay(given: string): string {
    const read = dayIn(given);
    if (!read || days.has(isoDate(read))) return given;
    const [one = 0, two = 0, three = 0] = random(isoDate(read), 0);
    const fake = { year: 1930 + (one % 70), month: 1 + (two % 12), day: 1 + (three % 28) };
    return isoDate(fake) === isoDate(read) ? written({ ...fake, day: (fake.day % 28) + 1 }, given) : written(fake, given);
  }

  function otherPhone(given: string): string {
    const digits = given.replace(/\D/g, '');
    const national = digits.slice(-10);
    const fake = digits.slice(0, -10) + scrambled(national);
    let at = 0;
    return given.replace(/\d/g, () => fake[at++] ?? '');
  }

  /** Matches the parts of a text: known phones first, then dates, then words. */
  const parts = () => {
    const numbers = [...phones].map((digits) => `(?<!\\d)(?:1\\D{0,2})?\\D?${digits.split('').join('\\D{0,2}')}(?!\\d)`);
    return new RegExp([...numbers, dates, word.source].join('|'), 'gu');
  };

  return {
    addPhone(value) {
      const digits = value.replace(/\D/g, '');
      if (digits.length >= 7) phones.add(digits.slice(-10));
    },
    keepWords: (value) => value.match(word)?.forEach((each) => kept.add(each.toLowerCase())),
    replaceWords: (value) => value.match(word)?.forEach((each) => taken.add(each.toLowerCase())),
    text: (value) =>
      value.replace(parts(), (part) => {
        if (dayIn(part)) return otherDay(part);
        return phones.has(part.replace(/\D/g, '').slice(-10)) ? otherPhone(part) : replaced(part);
      }),
    number(value) {
      if (Number.isInteger(value) && Math.abs(value) < 10) return value;
      const fake = Number(String(value).replace(/\d\d+/g, scrambled));
      return Number.isFinite(fake) ? fake : 0;
    },
  };
}

const isUpper = (letter = '') => letter !== letter.toLowerCase();

/** A number keeps a first digit other than 0. */
function inForm(given: string, bytes: Buffer): string {
  return given.replace(/./gs, (character, at: number) => {
    const byte = (bytes[at % bytes.length] ?? 0) + at;
    if (!/\d/.test(character)) return letters.charAt(byte % letters.length);
    return at === 0 ? (character === '0' ? '0' : String(1 + (byte % 9))) : String(byte % 10);
  });
}

function dayIn(given: string): CalendarDate | undefined {
  const [, day, month, year] = /^(\d{2})-([A-Z]{3})-(\d{4})$/.exec(given) ?? [];
  const number = String(months.indexOf(month ?? '') + 1).padStart(2, '0');
  const read = date(year ? `${year}-${number}-${day ?? ''}` : given);
  return read instanceof InvalidValue ? undefined : read;
}

function written(day: CalendarDate, like: string): string {
  if (/[A-Z]/.test(like)) return monthDate(day);
  const [year, month, dayOfMonth] = isoDate(day).split('-');
  return like.includes('/') ? `${month}/${dayOfMonth}/${year}` : isoDate(day);
}
