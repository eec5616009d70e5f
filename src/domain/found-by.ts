/**
 * Reads the values by which a lead is found: the person's e-mail and phones, and the business terms (site, study, protocol). Attaching,
 * locking, searching and erasing all use these functions.
 */
import { slugOf, replaceInvisible, text, withoutCountry } from './formats';
import type { JsonObject } from './lead';

const phoneFields = ['phone', 'phone_number', 'cellPhone', 'homePhone', 'workPhone'] as const;

/** Ignores case, and unifies the ways to type the same character. */
export const sameEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC');

/** Ignores case and spaces. */
export const sameName = (name: string): string => name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** The extension behind a phone number: `x12`, `ext. 12`, `#12`, `;ext=12`. */
const extension = /(?<=\d.*?)(?:;\s*ext\s*=.*|[\s,;(]*(?:ext(?:ension|n)?|x|#)[\s.:=#]*\d+[\s).]*)$/isu;

/** The digits before an extension, without the country's leading 1 before ten digits. */
export const samePhone = (phone: string): string => withoutCountry(phone.normalize('NFKC').replace(extension, '').replace(/\D/g, ''));

export const emailOf = (body: JsonObject): string | undefined => {
  const email = text(body.email);
  return email && sameEmail(email);
};

/** The phones in all phone fields, the person's own first. */
export const phonesOf = (body: JsonObject): string[] => [
  ...new Set(phoneFields.flatMap((field) => samePhone(text(body[field]) ?? '') || [])),
];

/** Longer terms are cut, and searched by prefix. */
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

/** Decodes percent-encoding and compatibility characters such as a full-width `＠`. */
function decode(value: string): string {
  const decoded = value.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCodePoint(parseInt(code.slice(1), 16)));
  return decoded.normalize('NFKC');
}

/** Letters that normalization does not reduce to plain ones. */
const strokes: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i', æ: 'ae', œ: 'oe', þ: 'th' };

/** Without case, accents and strokes. */
const folded = (value: string): string =>
  value
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[øłđðıæœþ]/g, (letter) => strokes[letter] ?? letter);

/** Each makes another common spelling of the same text. */
const spellingVariants: readonly ((value: string) => string)[] = [
  (value) => value.normalize('NFC').replace(/[äöü]/gi, '$&e'),
  (value) => replaceInvisible(value, ' '),
  (value) => value.replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' '),
];

/** A text in all its spellings. */
const spellings = (value: string): readonly string[] =>
  spellingVariants.reduce((all, makeVariant) => [...new Set([...all, ...all.map(makeVariant)])], [decode(value)]);

const wordsIn = (spelling: string): string[] => folded(replaceInvisible(spelling, '')).match(/[\p{L}\p{N}]+/gu) ?? [];

const wordsOf = (value: string): string[] => [...new Set(spellings(value).flatMap(wordsIn))];

/** The words of a text, and every few consecutive ones joined. */
const joinedWordsOf = (value: string): string[] => spellings(value).flatMap((spelling) => joinedWordsIn(wordsIn(spelling)));

const mostJoined = 4;

const joinedWordsIn = (words: readonly string[]): string[] =>
  words.flatMap((_, from) => Array.from({ length: mostJoined }, (__, more) => words.slice(from, from + more + 1).join('')));

const nameParts = [
  ['firstName', 'lastName'],
  ['first_name', 'last_name'],
] as const;

/** They are part of many names of people and places. */
const particles: readonly string[] = ['de', 'la', 'le', 'van', 'von', 'der', 'den', 'del', 'di', 'da', 'du', 'el', 'st', 'san', 'santa'];

/** False for a single Latin letter or digit, which identifies nobody. */
const isDistinctive = (word: string): boolean => word.length > 1 || !/[a-z0-9]/.test(word);

/** The words of a name that identify the person. A particle does so only if it is the whole name. */
function distinctiveWordsIn(name: string): string[] {
  const words = wordsOf(name).filter(isDistinctive);
  const others = words.filter((word) => !particles.includes(word));
  return others.length > 0 ? others : words;
}

/** First and last name as one word: both in full, or one of them as an initial. */
function fullNames(first: string, last: string): string[] {
  const isLong = (word: string) => word.length >= shortestPart;
  return [
    ...(first && last ? [first + last, last + first] : []),
    ...(first && isLong(last) ? [first.charAt(0) + last, last + first.charAt(0)] : []),
    ...(last && isLong(first) ? [first + last.charAt(0)] : []),
  ];
}

/** Shorter parts of a mailbox match by chance, as do its numbers. */
const shortestPart = 3;

/** The names of a person: those that match a word of a term, and those that match only a whole term. */
interface PersonNames {
  readonly words: ReadonlySet<string>;
  readonly wholes: ReadonlySet<string>;
}

const joinWords = (value: string): string[] => spellings(value).flatMap((spelling) => wordsIn(spelling).join('') || []);

function personNamesIn(body: JsonObject): PersonNames {
  const given = (field: string) => text(body[field]) ?? '';
  const fields = nameParts.flat();
  const mailbox = decode(given('email')).split('@')[0] ?? '';
  const full = nameParts.flatMap(([first, last]) =>
    joinWords(given(first)).flatMap((one) => joinWords(given(last)).flatMap((other) => fullNames(one, other))),
  );
  const names = fields.flatMap((field) => [...distinctiveWordsIn(given(field)), ...joinWords(given(field)).filter(isDistinctive)]);
  const parts = [...wordsOf(mailbox), ...joinWords(mailbox)].filter((word) => word.length >= shortestPart && /\p{L}/u.test(word));
  const wholes = [...full, ...fields.flatMap((field) => joinWords(given(field))), ...joinWords(mailbox)];
  return { words: new Set([...full.filter((name) => name.length >= shortestPart), ...names, ...parts]), wholes: new Set(wholes) };
}

const birthFields = ['dob', 'date_of_birth', 'birthDate', 'dateOfBirth'] as const;

/** The digits of a date, with the year first and with the year last. */
const dateForms = (date: string): string[] => {
  const digits = date.replace(/\D/g, '');
  return digits.length === 8 ? [digits, digits.slice(4) + digits.slice(0, 4)] : [];
};

/** The digits of a phone without its area code. */
const localDigits = 7;

/** Returns a test for terms that contain this person's data, such as a part of the name. Such a term is never stored unencrypted. */
export function createPersonalTest(body: JsonObject): (term: string) => boolean {
  const { words, wholes } = personNamesIn(body);
  const phones = phonesOf(body).filter((phone) => phone.length >= localDigits);
  const births = birthFields.flatMap((field) => dateForms(text(body[field]) ?? ''));
  return (given) => {
    const value = decode(given);
    const digits = value.replace(/\D/g, '');
    const isPhone = phones.some((phone) => digits.includes(phone.slice(-localDigits)));
    const isBirth = dateForms(value).some((form) => births.includes(form));
    const isNamed = joinWords(given).some((whole) => wholes.has(whole)) || joinedWordsOf(given).some((word) => words.has(word));
    return value.includes('@') || isPhone || isBirth || isNamed;
  };
}

export const isPersonal = (given: string, body: JsonObject): boolean => createPersonalTest(body)(given);

/** A term as it is stored and searched: without characters that the engine's query language does not allow. */
export const searchable = (value: string): string =>
  value
    .trim()
    .slice(0, termMost)
    .toWellFormed()
    .replace(/["'`\\\p{C}]/gu, '_');

/** The normalized name of a site: two names with the same slug are one site. */
export const sameSite = (site: string): string => slugOf(searchable(site)) || searchable(site);
