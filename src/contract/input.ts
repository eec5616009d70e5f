/**
 * Reads a body by its row of the contract and reports all wrong fields at once. For an unknown name it suggests the field that was most
 * likely meant.
 */
import type { Endpoint } from './endpoint';
import { invalid } from './errors';
import type { Detail, JsonObject } from '../domain/lead';
import type { z } from 'zod';
import { schemaOf, type Schema } from './json-schema';
import { didYouMean, knownWords, type KnownWords } from './nearest';

export interface FieldNames extends KnownWords {
  knows(name: string): boolean;
}

/** The schema itself, and the parts in its `allOf` and `anyOf`. */
const allPartsOf = (schema: Schema): readonly Schema[] => [schema, ...[schema.allOf ?? [], schema.anyOf ?? []].flat().flatMap(allPartsOf)];

export function namesIn(schema: Schema, except: readonly string[] = []): FieldNames {
  const parts = allPartsOf(schema);
  const names = [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))].filter((name) => !except.includes(name));
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)).map((pattern) => new RegExp(pattern));

  return {
    ...knownWords(names),
    knows: (name) => names.includes(name) || patterns.some((pattern) => pattern.test(name)),
  };
}

/** A cache: schemas take a while to make and never change. */
const made = new WeakMap<z.ZodType, Schema>();

export function inputSchema(input: z.ZodType): Schema {
  const schema = made.get(input) ?? schemaOf(input, 'input');
  made.set(input, schema);
  return schema;
}

/** Most characters of an unknown name that an error repeats. */
const shownMost = 100;

export const shownName = (name: string): string => name.slice(0, shownMost);

/** The error for an unknown name. `where` says what does not have it, such as "in this query". */
export const unknownName = (name: string, names: FieldNames, where: string, within: readonly string[] = []): Detail => ({
  field: [...within, shownName(name)].join('.'),
  message: didYouMean(`is not known ${where}`, names.nearest(name)),
});

export interface Input {
  /** The body as it came, with unknown fields. Repeats are recognised by it. */
  readonly given: JsonObject;
  /** The body as the contract reads it; in group E the body as it came. */
  readonly body: JsonObject;
}

/** Further checks of a body, beyond its schema. */
export type Problems = (given: JsonObject) => readonly Detail[];

/** Reads a body that was sent, or that of a stored lead with mended fields. */
export function readInput(given: JsonObject, endpoint: Endpoint, problems: Problems): Input {
  const read = endpoint.input.safeParse(given);
  const details = [
    ...(read.error?.issues ?? []).flatMap((issue): Detail[] =>
      issue.code === 'unrecognized_keys' ? unknownKeys(endpoint, issue) : [{ field: issue.path.join('.'), message: issue.message }],
    ),
    ...problems(given),
  ];
  if (details.length > 0) throw invalid(withMisspelt(details, given, endpoint));
  return { given, body: endpoint.keepsInput ? given : (read.data as JsonObject) };
}

/** The most unknown names that are compared with a missing field's. */
const comparedMost = 20;

/** Adds to the error of a missing field the name under which it was probably sent. */
function withMisspelt(details: readonly Detail[], given: JsonObject, { input }: Endpoint): readonly Detail[] {
  if (!details.some(isMissing)) return details;
  const names = namesIn(inputSchema(input));
  const unknown = Object.keys(given).filter((name) => !names.knows(name));
  const meant = unknown.slice(0, comparedMost).map((name) => [name, names.nearest(name)] as const);
  return details.map((detail) => {
    const [sent] = meant.find(([, field]) => field === detail.field) ?? [];
    return sent && isMissing(detail) ? { ...detail, message: `${detail.message}; you sent ${shownName(sent)}` } : detail;
  });
}

const isMissing = ({ message }: Detail): boolean => message.endsWith('is required');

/** The errors for unknown names, in an object that allows none. */
function unknownKeys(
  { input }: Endpoint,
  { path, keys }: { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] },
): Detail[] {
  const schema = path.reduce<Schema>((within, name) => within.properties?.[String(name)] ?? {}, inputSchema(input));
  const names = namesIn(schema);
  return keys.map((key) => unknownName(key, names, 'here', path.map(String)));
}
