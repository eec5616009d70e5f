/** The names that a row of the contract knows, and the one that a wrong name was most likely meant to be. */
import type { Endpoint } from './endpoint';
import { ApiError } from './errors';
import type { Detail, JsonObject } from '../domain/lead';
import type { z } from 'zod';
import { schemaOf, type Schema } from './json-schema';

export interface FieldNames {
  knows(name: string): boolean;
  /** The field that is written like this name, but for case and punctuation. */
  like(name: string): string | undefined;
  /** The same, or else the one that is only a few letters away. */
  nearest(name: string): string | undefined;
}

const alike = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The schema itself, and each part that its conditions add. */
const partsOf = (schema: Schema): readonly Schema[] => [schema, ...[schema.allOf ?? [], schema.anyOf ?? []].flat().flatMap(partsOf)];

/** How many letters must be put in, taken out or changed to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to++)
      next[to] = Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + (other[to - 1] === letter ? 0 : 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A longer name is nothing that was mistyped, and comparing it would cost much. */
const longestName = 40;

export function namesIn(schema: Schema, except: readonly string[] = []): FieldNames {
  const parts = partsOf(schema);
  const names = [...new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)))].filter((name) => !except.includes(name));
  const patterns = parts.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)).map((pattern) => new RegExp(pattern));
  const byLikeness = new Map(names.map((name) => [alike(name), name]));

  function nearest(given: string): string | undefined {
    const written = alike(given);
    const exact = byLikeness.get(written);
    if (exact !== undefined || written.length === 0 || given.length > longestName) return exact;
    const [best] = [...byLikeness]
      .map(([known, name]) => ({ name, away: known.startsWith(written) ? 1 : distance(written, known), most: Math.ceil(known.length / 3) }))
      .filter(({ away, most }) => away <= most)
      .toSorted((one, other) => one.away - other.away);
    return best?.name;
  }

  return {
    knows: (name) => names.includes(name) || patterns.some((pattern) => pattern.test(name)),
    like: (name) => byLikeness.get(alike(name)),
    nearest,
  };
}

/** Schemas take a while to make and never change. */
const made = new WeakMap<z.ZodType, Schema>();

export function inputSchema(input: z.ZodType): Schema {
  const schema = made.get(input) ?? schemaOf(input, 'input');
  made.set(input, schema);
  return schema;
}

/** Says of a name what it may have been meant to be; `where` is what does not have it. */
export function unknownName(name: string, names: FieldNames, where: string): string {
  const meant = names.nearest(name);
  return `is not known ${where}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

export interface Input {
  /** As it came, unknown fields included: what repeats are recognised by. */
  readonly given: JsonObject;
  /** As the contract reads it; group E keeps the body as it came. */
  readonly body: JsonObject;
}

export type Problems = (given: JsonObject) => readonly Detail[];

/** Also for a body that is here already: a stored lead with corrected fields. */
export function readInput(given: JsonObject, endpoint: Endpoint, problems: Problems): Input {
  const read = endpoint.input.safeParse(given);
  const details = [
    ...(read.error?.issues ?? []).flatMap((issue): Detail[] =>
      issue.code === 'unrecognized_keys' ? unknownKeys(endpoint, issue) : [{ field: issue.path.join('.'), message: issue.message }],
    ),
    ...problems(given),
  ];
  if (details.length > 0) throw invalid(details);
  return { given, body: endpoint.keepsInput ? given : (read.data as JsonObject) };
}

/** Where a body may only hold what it has fields for. */
function unknownKeys(
  { input }: Endpoint,
  { path, keys }: { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] },
): Detail[] {
  const schema = path.reduce<Schema>((within, name) => within.properties?.[String(name)] ?? {}, inputSchema(input));
  const names = namesIn(schema);
  return keys.map((key) => ({ field: [...path, key].join('.'), message: unknownName(key, names, 'here') }));
}

export function invalid(details: readonly Detail[]): ApiError {
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are not right: ${fields}`, { details });
}
