/**
 * Defines the field types of requests, such as text, phone or date. Each parses the caller's value and carries its JSON schema, so that
 * validation and the reference never differ.
 */
import { z } from 'zod';
import {
  answer as readAnswer,
  date as readDate,
  digitsOf,
  integer as readInteger,
  isAbsent,
  isObject,
  number as readNumber,
  phone as readPhone,
  withoutUndefined,
  InvalidValue,
} from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { requireAny, optionalSchema, requiredSchema, type JsonSchema } from './json-schema';
import { didYouMean, nearest } from '../domain/nearest';

type Field<T> = z.ZodType<T | undefined>;

export const today = () => new Date().toISOString().slice(0, 10);

function field<T>(schema: JsonSchema, read: (value: unknown) => T | InvalidValue): Field<T> {
  const type = z.unknown().transform((value, check): T | undefined => {
    if (isAbsent(value)) return undefined;
    const result = read(value);
    if (!(result instanceof InvalidValue)) return result;
    check.addIssue(result.message);
    return z.NEVER;
  });
  return type.optional().meta(optionalSchema(schema));
}

/** Makes a field required. */
export const required = <T>(optional: Field<T>): z.ZodType<T> =>
  z
    .unknown()
    .transform((value, check) => {
      if (!isAbsent(value)) return value;
      check.addIssue('is required');
      return z.NEVER;
    })
    .pipe(optional as z.ZodType<T>)
    .meta(requiredSchema(optional.meta()));

const readText = (value: unknown): string | InvalidValue => (typeof value === 'string' ? value.trim() : new InvalidValue('must be text'));

/** The maximum length of each field type: more than any real value has, and accepted by every upstream. */
export const longest = { text: 500, words: 8_192, email: 254, phone: 100, url: 8_192 } as const;

/** Counts code points, as `maxLength` does: an emoji counts as one. */
const isLonger = (text: string, most: number): boolean => text.length > 2 * most || (text.length > most && Array.from(text).length > most);

const withinLength = (text: string, { maxLength }: JsonSchema): string | InvalidValue =>
  typeof maxLength === 'number' && isLonger(text, maxLength) ? new InvalidValue(`must have at most ${maxLength} characters`) : text;

const textThat = <T>(schema: JsonSchema, read: (value: string) => T | InvalidValue): Field<T> =>
  field({ type: 'string', ...schema }, (value) => {
    const text = readText(value);
    const fitting = text instanceof InvalidValue ? text : withinLength(text, schema);
    return fitting instanceof InvalidValue ? fitting : read(fitting);
  });

/** Short text, such as a name, an id or a status. */
export const text = (schema: JsonSchema = {}): Field<string> => textThat({ maxLength: longest.text, ...schema }, (value) => value);

/** The words that tools send in place of a missing value. */
const placeholders = ['undefined', 'null', 'NaN', '[object Object]'];
const noPlaceholder = `^(?!\\s*(?:${placeholders.map((word) => word.replaceAll(/[[\]]/g, '\\$&')).join('|')})\\s*$)\\s*\\S`;

/** A part of a person's name. */
export const personName = (schema: JsonSchema = {}): Field<string> =>
  textThat({ maxLength: longest.text, pattern: noPlaceholder, ...schema }, (value) =>
    placeholders.includes(value) ? new InvalidValue('must be a name, not the placeholder of a missing value') : value,
  );

/** Free text, limited only by the size of the body. */
export const prose = (schema: JsonSchema = {}): Field<string> => textThat(schema, (value) => value);

/** JSON.parse loses digits of numbers outside this range. */
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

export const proseOrNumber = (schema: JsonSchema = {}): Field<string> =>
  field({ type: ['string', 'number'], ...exact, ...schema }, (value) => {
    if (typeof value === 'number' && !isExact(value)) return new InvalidValue('must be text: the number is too large to be exact');
    const text = typeof value === 'number' ? String(value) : readText(value);
    return text instanceof InvalidValue ? text : withinLength(text, schema);
  });

/** Text that tools often send as a number, such as a postal code. */
export const textOrNumber = (schema: JsonSchema = {}): Field<string> => proseOrNumber({ maxLength: longest.text, ...schema });

const isExact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** Invisible 16-bit characters, written so that the regular expressions of all tools accept them. */
const invisibleForm =
  '\\u0000-\\u0008\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB';
const invisibleIn = new RegExp(`[${invisibleForm}]`);
const mailPart = `[^\\s@${invisibleForm}]+`;

const rejectInvisible = (value: string): string | InvalidValue =>
  invisibleIn.test(value) ? new InvalidValue('must have no invisible characters, such as U+200B or U+00AD') : value;

export const email = (schema: JsonSchema = {}): Field<string> =>
  textThat({ pattern: `^\\s*${mailPart}@${mailPart}\\s*$`, maxLength: longest.email, ...schema }, (value) =>
    /^[^\s@]+@[^\s@]+$/.test(value) ? rejectInvisible(value) : new InvalidValue('must be an e-mail address'),
  );

/** An e-mail to search for. It need not be valid: an invalid one finds nothing. */
export const emailFilter = (schema: JsonSchema = {}): Field<string> =>
  textThat({ pattern: `^[^${invisibleForm}]*$`, maxLength: longest.email, ...schema }, rejectInvisible);

/** Text with a digit, but not a number as a spreadsheet reformats it, such as `5.55E+09` or `5552013344.0`. */
const dialled = '^(?!\\s*\\+?(?:[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]+|[0-9]{7,}[.,][0-9]{1,2})\\s*$)[^0-9]*[0-9]';

const phoneThat = (given: JsonSchema, read: (value: string) => string | InvalidValue): Field<string> => {
  const schema = {
    type: ['string', 'integer'],
    pattern: dialled,
    maxLength: longest.phone,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    ...given,
  };
  return field(schema, (value) => {
    const isNumber = typeof value === 'number';
    if (isNumber && !(Number.isSafeInteger(value) && value >= 0)) return new InvalidValue('must be text, or a whole number');
    const text = isNumber ? String(value) : readText(value);
    const fitting = text instanceof InvalidValue ? text : withinLength(text, schema);
    return fitting instanceof InvalidValue ? fitting : read(fitting);
  });
};

export const phone = (schema: JsonSchema = {}): Field<string> => phoneThat(schema, readPhone);

/** A phone number, read as its digits only; at least one. */
export const digits = (schema: JsonSchema = {}): Field<string> => phoneThat(schema, digitsOf);

/** The parts of a date's pattern. It does not check that the day exists: 31 February matches. */
const parts = { year: '[1-9][0-9]{3}', month: '(?:0[1-9]|1[0-2])', day: '(?:0[1-9]|[12][0-9]|3[01])' };
const isoForm = `${parts.year}-${parts.month}-${parts.day}`;
const usForm = `${parts.month}/${parts.day}/${parts.year}`;

export const isoDay = (schema: JsonSchema = {}): Field<string> =>
  textThat({ format: 'date', pattern: `^\\s*${isoForm}\\s*$`, ...schema }, (value) => {
    const isReal = /^\d{4}-/.test(value) && !(readDate(value, today()) instanceof InvalidValue);
    return isReal ? value : new InvalidValue('must be a real date, YYYY-MM-DD, not in the future');
  });

export const date = (schema: JsonSchema = {}): Field<string> =>
  textThat({ pattern: `^\\s*(?:${isoForm}|${usForm})\\s*$`, ...schema }, (value) => {
    const read = readDate(value, today());
    return read instanceof InvalidValue ? read : value;
  });

/** At most 15 digits, which a JavaScript number holds exactly. The limit is the same for text, because query parameters are text. */
const wholeNumber = /^\s*-?[0-9]{1,15}\s*$/;
const wholeMost = 999_999_999_999_999;

export const integer = (schema: JsonSchema = {}): Field<number> =>
  field({ type: ['integer', 'string'], pattern: wholeNumber.source, minimum: -wholeMost, maximum: wholeMost, ...schema }, (value) => {
    const isWhole = typeof value === 'string' ? wholeNumber.test(value) : typeof value === 'number' && Math.abs(value) <= wholeMost;
    return (isWhole ? readInteger(value) : undefined) ?? new InvalidValue('must be a whole number');
  });

/** Builds a pattern for the numbers from 1 to `most`, which must be one digit followed by zeros. */
function upTo(most: number): string {
  const first = Number(String(most)[0]);
  const noughts = String(most).length - 1;
  const asLong = first > 1 ? [`[1-${first - 1}][0-9]{${noughts}}`] : [];
  return [...(noughts > 0 ? [`[1-9][0-9]{0,${noughts - 1}}`] : []), ...asLong, most].join('|');
}

/** A whole number from 1 to `most`, such as 50, 200 or 1000. */
export const oneTo = (most: number, schema: JsonSchema = {}): Field<number> =>
  integer({ pattern: `^\\s*0{0,9}(?:${upTo(most)})\\s*$`, minimum: 1, maximum: most, ...schema }).refine(
    (value) => value === undefined || (value >= 1 && value <= most),
    `must be 1 to ${most}`,
  );

export const number = (schema: JsonSchema = {}): Field<number> =>
  field(
    { type: ['number', 'string'], pattern: '^\\s*-?[0-9]{1,300}(\\.[0-9]+)?\\s*$', ...schema },
    (value) => readNumber(value) ?? new InvalidValue('must be a number'),
  );

export const boolean = (schema: JsonSchema = {}): Field<boolean> =>
  field({ type: 'boolean', ...schema }, (value) => (typeof value === 'boolean' ? value : new InvalidValue('must be true or false')));

/** An object with any property names. */
export const object = (schema: JsonSchema = {}): Field<JsonObject> =>
  field({ type: 'object', ...schema }, (value) => (isObject(value) ? value : new InvalidValue('must be an object')));

export const url = (schema: JsonSchema = {}): Field<string> =>
  textThat({ format: 'uri', maxLength: longest.url, ...schema }, (value) =>
    URL.canParse(value) ? value : new InvalidValue('must be a URL'),
  );

/** One of the given words, in any case. The error lists them and suggests the nearest. */
export const oneOf = (words: readonly string[], schema: JsonSchema = {}): Field<string> =>
  textThat({ enum: words, ...schema }, (value) => {
    const written = value.toLowerCase();
    return (
      words.find((known) => known.toLowerCase() === written) ??
      new InvalidValue(didYouMean(`must be one of ${words.join(', ')}`, nearest(value, words)))
    );
  });

export const matching = (pattern: RegExp, expectation: string, schema: JsonSchema = {}): Field<string> =>
  textThat({ pattern: pattern.source, ...schema }, (value) => (pattern.test(value) ? value : new InvalidValue(expectation)));

export const answer = (): Field<number> =>
  field(
    { description: 'Yes or No in any case, true or false, 1 or 0; 2 means no answer', enum: ['Yes', 'No', true, false, 0, 1, 2] },
    readAnswer,
  );

/** A token or key that is sent in a header. */
export const credential = (schema: JsonSchema = {}): Field<string> =>
  matching(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters without spaces, and without the word Bearer', schema);

/** Runs a check of the whole record even if a field is invalid, so that all invalid fields are reported at once. */
export const evenAfterFieldIssues = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };

/** A check of the whole record. It receives an invalid field as the caller sent it. */
export type Refine = (record: JsonObject, wrong: (name: string, message: string) => void) => void;

/** The JSON schema of `reachable`. */
export const contactSchema = (phoneField: string): JsonSchema => requireAny('email', phoneField);

/** Requires an e-mail or a phone. */
export const requireContact =
  (phoneField: string): Refine =>
  (record, wrong) => {
    if (isAbsent(record.email) && isAbsent(record[phoneField])) wrong('email', `an e-mail or a ${phoneField} is required`);
  };

/** Builds the schema of a body. `more` adds fields, or removes them by undefined. Unknown fields are ignored. */
export function body(
  fields: z.ZodRawShape,
  checks: readonly Refine[],
  more: (record: JsonObject) => JsonObject = () => ({}),
): z.ZodType<JsonObject> {
  return z
    .looseObject(fields)
    .superRefine((record, check) => {
      for (const refine of checks) refine(record, (name, message) => check.addIssue({ code: 'custom', path: name.split('.'), message }));
    }, evenAfterFieldIssues)
    .transform((record) => {
      const known = Object.keys(fields).map((name) => [name, record[name]] as const);
      return withoutUndefined({ ...Object.fromEntries(known), ...more(record) });
    });
}

const clock = '((?:[01][0-9]|2[0-3]):[0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]{1,9}))?)?';
const zone = '([Zz]|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])';
const momentForm = new RegExp(`^\\s*(${isoForm})(?:[Tt ]${clock}(?:\\s*${zone})?)?\\s*$`);

/** Reads a date as midnight, and a time without a zone as UTC: never in the zone of the machine. */
function readInstant(value: string): string | InvalidValue {
  const [, day = '', time = '00:00', seconds = '00', fraction = '0', written = 'Z'] = momentForm.exec(value) ?? [];
  if (day === '' || readDate(day) instanceof InvalidValue)
    return new InvalidValue('must be a real date or time, like 2026-12-01 or 2026-12-01T09:30:00Z');
  const offset = written.length === 5 ? `${written.slice(0, 3)}:${written.slice(3)}` : written.toUpperCase();
  return new Date(`${day}T${time}:${seconds}.${fraction.slice(0, 3)}${offset}`).toISOString();
}

/** A date or a date-time. */
export const instant = (schema: JsonSchema = {}): Field<string> => textThat({ pattern: momentForm.source, ...schema }, readInstant);
