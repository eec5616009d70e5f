/**
 * The kinds of fields that requests are made of. Each reads what a caller may send (`unknown`), gives what the gateway works
 * with, and carries its own JSON schema, so that validation and the reference can never differ.
 */
import { z } from 'zod';
import { answer as readAnswer, date as readDate, integer as readInteger, isAbsent, phone as readPhone, Wrong } from '../domain/formats';

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
    const text = typeof value === 'number' ? String(value) : word(value);
    return text instanceof Wrong ? text : read(text);
  });

export const email = (): Field<string> =>
  textThat({ format: 'email' }, (value) => (/^[^\s@]+@[^\s@]+$/.test(value) ? value : new Wrong('must be an e-mail address')));

export const phone = (): Field<string> => textOrNumber({}, readPhone);

export const date = (): Field<string> =>
  textThat({ description: 'YYYY-MM-DD or MM/DD/YYYY' }, (value) => {
    const read = readDate(value, today());
    return read instanceof Wrong ? read : value;
  });

export const integer = (): Field<number> =>
  field({ type: 'integer' }, (value) => readInteger(value) ?? new Wrong('must be a whole number'));

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
