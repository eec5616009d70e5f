/** What a request carries, as the contract reads it, and all that is wrong with it at once. */
import type { Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { inputSchema, namesIn, unknownName } from '../contract/field-names';
import type { Schema } from '../contract/json-schema';
import type { Detail, JsonObject } from '../domain/lead';

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
