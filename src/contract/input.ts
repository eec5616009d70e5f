/**
 * Validates a body against its row of the contract and reports all invalid fields at once. For an unknown name it suggests the nearest
 * field.
 */
import type { Endpoint } from './endpoint';
import { invalid } from './errors';
import type { Detail, JsonObject } from '../domain/lead';
import type { z } from 'zod';
import { schemaOf, type Schema } from './json-schema';
import { didYouMean, isFieldTypo, knownWords, type KnownWords } from '../domain/nearest';

export interface FieldNames extends KnownWords {
  readonly names: readonly string[];
  knows(name: string): boolean;
}

/** Returns the schema and all parts of its `allOf` and `anyOf`. */
const allPartsOf = (schema: Schema): readonly Schema[] => [schema, ...[schema.allOf ?? [], schema.anyOf ?? []].flat().flatMap(allPartsOf)];

export function namesIn(schema: Schema, except: readonly string[] = []): FieldNames {
  const parts = allPartsOf(schema);
  const names = [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))].filter((name) => !except.includes(name));
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)).map((pattern) => new RegExp(pattern));

  return {
    ...knownWords(names),
    names,
    knows: (name) => names.includes(name) || patterns.some((pattern) => pattern.test(name)),
  };
}

/** Caches the schemas: they are slow to build and never change. */
const schemas = new WeakMap<z.ZodType, Schema>();

export function inputSchema(input: z.ZodType): Schema {
  const schema = schemas.get(input) ?? schemaOf(input, 'input');
  schemas.set(input, schema);
  return schema;
}

/** Caches the fields of each route, because every lead is compared with them. */
const fieldNames = new WeakMap<z.ZodType, FieldNames>();

function fieldNamesOf(input: z.ZodType): FieldNames {
  const names = fieldNames.get(input) ?? namesIn(inputSchema(input));
  fieldNames.set(input, names);
  return names;
}

/** The maximum number of characters of an unknown name in an error. */
const longestShown = 100;

export const truncatedName = (name: string): string => name.slice(0, longestShown);

/** Builds the error for an unknown name. `where` names the part of the request, such as "in this query". */
export const unknownName = (name: string, names: FieldNames, where: string, within: readonly string[] = []): Detail => ({
  field: [...within, truncatedName(name)].join('.'),
  message: didYouMean(`is not known ${where}`, names.nearest(name) ?? onlyName(names)),
});

const onlyName = ({ names }: FieldNames): string | undefined => (names.length === 1 ? names[0] : undefined);

export interface Input {
  /** The body as it was sent, with unknown fields. It identifies repeats. */
  readonly given: JsonObject;
  /** The parsed body; in group E the body as it was sent. */
  readonly body: JsonObject;
}

/** Further checks of a body, beyond its schema. */
export type InputCheck = (given: JsonObject) => readonly Detail[];

/** Reads the body of a request, or the body of a stored lead with corrected fields. */
export function readInput(given: JsonObject, endpoint: Endpoint, problems: InputCheck): Input {
  const read = endpoint.input.safeParse(given);
  const details = [
    ...(read.error?.issues ?? []).flatMap((issue): Detail[] =>
      issue.code === 'unrecognized_keys' ? unknownKeys(endpoint, issue) : [{ field: issue.path.join('.'), message: issue.message }],
    ),
    ...problems(given),
  ];
  if (details.length > 0) throw invalid(suggestMissing(details, given, endpoint));
  return { given, body: endpoint.keepsInput ? given : (read.data as JsonObject) };
}

/** The maximum number of unknown names that are compared with missing fields. */
const comparedMost = 20;

/** Adds the misspelled name to the error of a missing field. */
function suggestMissing(details: readonly Detail[], given: JsonObject, { input }: Endpoint): readonly Detail[] {
  if (!details.some(isMissing)) return details;
  const names = fieldNamesOf(input);
  const unknown = Object.keys(given).filter((name) => !names.knows(name));
  const meant = unknown.slice(0, comparedMost).map((name) => [name, names.nearest(name)] as const);
  return details.map((detail) => {
    const [sent] = meant.find(([, field]) => field === detail.field) ?? [];
    return sent && isMissing(detail) ? { ...detail, message: `${detail.message}; you sent ${truncatedName(sent)}` } : detail;
  });
}

/** Finds unknown fields that look like a misspelt optional one. They refuse nothing, because a request may have fields of its own. */
export function misspeltFields(given: JsonObject, { input }: Endpoint): readonly Detail[] {
  const names = fieldNamesOf(input);
  const unknown = Object.keys(given).filter((name) => !names.knows(name));
  return unknown.slice(0, comparedMost).flatMap((name) => {
    const meant = names.nearest(name);
    const isMisspelt = meant !== undefined && !Object.hasOwn(given, meant) && isFieldTypo(name, meant);
    return isMisspelt ? [{ field: truncatedName(name), message: didYouMean('is not known', meant) }] : [];
  });
}

const isMissing = ({ message }: Detail): boolean => message.endsWith('is required');

/** Builds the errors for unknown names in an object that allows none. */
function unknownKeys(
  { input }: Endpoint,
  { path, keys }: { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] },
): Detail[] {
  const schema = path.reduce<Schema>((within, name) => within.properties?.[String(name)] ?? {}, inputSchema(input));
  const names = namesIn(schema);
  return keys.map((key) => unknownName(key, names, 'here', path.map(String)));
}
