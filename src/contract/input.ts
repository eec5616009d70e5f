/**
 * Reads a body by its row of the contract and reports all wrong fields at once. For an unknown name it suggests the field that was most
 * likely meant.
 */
import type { Endpoint } from './endpoint';
import { invalid } from './errors';
import type { Detail, JsonObject } from '../domain/lead';
import type { z } from 'zod';
import { schemaOf, type Schema } from './json-schema';
import { alike, didYouMean, nearest } from './nearest';

export interface FieldNames {
  knows(name: string): boolean;
  /** The field that is spelled like this name, but for case and punctuation. */
  like(name: string): string | undefined;
  /** The same field as `like`, or else the one that is a few letters away: see `nearest`. */
  nearest(name: string): string | undefined;
}

/** The schema itself, and the parts in its `allOf` and `anyOf`. */
const allPartsOf = (schema: Schema): readonly Schema[] => [schema, ...[schema.allOf ?? [], schema.anyOf ?? []].flat().flatMap(allPartsOf)];

export function namesIn(schema: Schema, except: readonly string[] = []): FieldNames {
  const parts = allPartsOf(schema);
  const names = [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))].filter((name) => !except.includes(name));
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)).map((pattern) => new RegExp(pattern));

  return {
    knows: (name) => names.includes(name) || patterns.some((pattern) => pattern.test(name)),
    like: (name) => alike(name, names),
    nearest: (name) => nearest(name, names),
  };
}

/** A cache: schemas take a while to make and never change. */
const made = new WeakMap<z.ZodType, Schema>();

export function inputSchema(input: z.ZodType): Schema {
  const schema = made.get(input) ?? schemaOf(input, 'input');
  made.set(input, schema);
  return schema;
}

/** The message for an unknown name. `where` says what does not have it, such as "in this query". */
export const unknownName = (name: string, names: FieldNames, where: string): string =>
  didYouMean(`is not known ${where}`, names.nearest(name));

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
    return sent && isMissing(detail) ? { ...detail, message: `${detail.message}; you sent ${sent}` } : detail;
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
  return keys.map((key) => ({ field: [...path, key].join('.'), message: unknownName(key, names, 'here') }));
}
