/**
 * The kinds of fields that requests are made of. Each reads what a caller may send (`unknown`), gives what the gateway works
 * with, and carries its own JSON schema, so that validation and the reference can never differ.
 */
import { z } from 'zod';
import {
  answer as readAnswer,
  date as readDate,
  digitsOf,
  integer as readInteger,
  isAbsent,
  number as readNumber,
  phone as readPhone,
  Wrong,
} from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { present } from '../domain/mapping';

type JsonSchema = Readonly<Record<string, unknown>>;
type Field<T> = z.ZodType<T | undefined>;

export const today = () => new Date().toISOString().slice(0, 10);

function field<T>(schema: JsonSchema, read: (value: unknown) => T | Wrong): Field<T> {
  const type = z.unknown().transform((value, check): T | undefined => {
    if (isAbsent(value)) return undefined;
    const result = read(value);
    if (!(result instanceof Wrong)) return result;
    check.addIssue(result.message);
    return z.NEVER;
  });
  return type.optional().meta(schema);
}

/** Absent is wrong, too. */
export const required = <T>(optional: Field<T>): z.ZodType<T> =>
  z
    .unknown()
    .transform((value, check) => {
      if (!isAbsent(value)) return value;
      check.addIssue('is required');
      return z.NEVER;
    })
    .pipe(optional as z.ZodType<T>)
    .meta(optional.meta() ?? {});

const word = (value: unknown): string | Wrong => (typeof value === 'string' ? value.trim() : new Wrong('must be text'));

const textThat = <T>(schema: JsonSchema, read: (value: string) => T | Wrong): Field<T> =>
  field({ type: 'string', ...schema }, (value) => {
    const text = word(value);
    return text instanceof Wrong ? text : read(text);
  });

export const text = (schema: JsonSchema = {}): Field<string> => textThat(schema, (value) => value);

/** Text that tools often send as a number, such as a postal code. */
export const textOrNumber = (schema: JsonSchema = {}, read: (value: string) => string | Wrong = (value) => value): Field<string> =>
  field({ type: ['string', 'number'], ...schema }, (value) => {
    if (typeof value === 'number' && !isExact(value)) return new Wrong('must be text: this number is too large to be exact');
    const text = typeof value === 'number' ? String(value) : word(value);
    return text instanceof Wrong ? text : read(text);
  });

/** JSON numbers past this size come in with other digits than were sent. */
const isExact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

export const email = (): Field<string> =>
  textThat({ format: 'email' }, (value) => (/^[^\s@]+@[^\s@]+$/.test(value) ? value : new Wrong('must be an e-mail address')));

export const phone = (): Field<string> => textOrNumber({}, readPhone);

/** Only its digits; at least one. */
export const digits = (): Field<string> => textOrNumber({}, digitsOf);

export const isoDay = (): Field<string> =>
  textThat({ format: 'date' }, (value) => {
    const isReal = /^\d{4}-/.test(value) && !(readDate(value, today()) instanceof Wrong);
    return isReal ? value : new Wrong('must be a real date, YYYY-MM-DD, not in the future');
  });

export const date = (): Field<string> =>
  textThat({ description: 'YYYY-MM-DD or MM/DD/YYYY' }, (value) => {
    const read = readDate(value, today());
    return read instanceof Wrong ? read : value;
  });

export const integer = (): Field<number> =>
  field({ type: 'integer' }, (value) => readInteger(value) ?? new Wrong('must be a whole number'));

export const number = (): Field<number> =>
  field({ type: ['number', 'string'] }, (value) => readNumber(value) ?? new Wrong('must be a number'));

export const boolean = (): Field<boolean> =>
  field({ type: 'boolean' }, (value) => (typeof value === 'boolean' ? value : new Wrong('must be true or false')));

export const url = (): Field<string> => textThat({ format: 'uri' }, (value) => (URL.canParse(value) ? value : new Wrong('must be a URL')));

/** One of a few words, in any case; the words are named when it is none of them. */
export const oneOf = (words: readonly string[]): Field<string> =>
  textThat(
    { enum: words },
    (value) => words.find((known) => known.toLowerCase() === value.toLowerCase()) ?? new Wrong(`must be one of ${words.join(', ')}`),
  );

export const matching = (pattern: RegExp, expectation: string): Field<string> =>
  textThat({ pattern: pattern.source }, (value) => (pattern.test(value) ? value : new Wrong(expectation)));

export const answer = (): Field<number> => field({ enum: ['Yes', 'No', null, true, false, 0, 1, 2] }, readAnswer);

/** A token or key that goes into a header. */
export const credential = (): Field<string> =>
  matching(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters without spaces, and without the word Bearer');

/** All wrong fields at once: without this, a check of the whole record is left out when one field is wrong. */
export const evenAfterFieldIssues = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };

/** A check of the whole record, which sees the fields as the caller sent them where they are wrong. */
export type Refine = (record: JsonObject, wrong: (name: string, message: string) => void) => void;

/** A person can be reached in at least one way. */
export const reachable =
  (phoneField: string): Refine =>
  (record, wrong) => {
    if (isAbsent(record.email) && isAbsent(record[phoneField])) wrong('email', `an e-mail or a ${phoneField} is required`);
  };

/** A body of known fields, and what `more` makes of them; undefined takes a field out, unknown ones are ignored. */
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
      return present({ ...Object.fromEntries(known), ...more(record) });
    });
}

/** A moment in time: a date, or a date with a time. */
export const instant = (): Field<string> =>
  textThat({ format: 'date-time', description: 'ISO 8601' }, (value) =>
    /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value))
      ? new Date(value).toISOString()
      : new Wrong('must be an ISO 8601 date or date-time'),
  );
