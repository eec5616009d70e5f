/** What a request says beside its body: headers and query, read once and checked. */
import type { Request } from 'express';
import type { Config } from '../config';
import type { Endpoint } from '../contract/endpoint';
import type { Detail, JsonObject } from '../domain/lead';
import { longestWaitS } from '../contract/leads';
import { jsonBody } from './body';
import { askedProblems, waitS } from './asked-for';
import { ApiError } from './errors';
import { inputSchema, namesIn, unknownName } from './field-names';
import type { Schema } from './openapi-types';

/** How long this request wants to wait for its run. */
export function waitMs(request: Request, config: Config): number {
  const seconds = waitS(request);
  return seconds === undefined ? config.SYNC_WAIT_MS : seconds * 1000;
}

export const longestWaitMs = (seconds: number | undefined): number => Math.min(Math.max(seconds ?? 0, 0), longestWaitS) * 1000;

export function idempotencyKey({ headers, method }: Request): string | undefined {
  const [key] = [headers['idempotency-key']].flat();
  if (key === undefined || method === 'GET') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('VALIDATION_ERROR', 'Idempotency-Key must be 1 to 255 visible ASCII characters', {
      details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
    });
  return key;
}

/** Whoever asks for a dry run must not be answered with a real one: a word that is not known, or a route that has none, is a 400. */
export function isDryRun({ headers }: Request, { carried, group }: Endpoint): boolean {
  const [given = 'false'] = [headers['x-dry-run']].flat();
  const word = given.trim().toLowerCase();
  const wrong = (message: string) =>
    new ApiError('VALIDATION_ERROR', `X-Dry-Run ${message}`, { details: [{ field: 'X-Dry-Run', message }] });
  if (word !== 'true' && word !== 'false') throw wrong('must be true or false');
  if (word === 'true' && group.startsWith('A')) throw wrong('is for leads: this route has no dry run');
  return word === 'true' && carried === 'lead';
}

export interface Input {
  /** As it came, unknown fields included: what repeats are recognised by. */
  readonly given: JsonObject;
  /** As the contract reads it; group E keeps the body as it came. */
  readonly body: JsonObject;
}

type Problems = (given: JsonObject) => readonly Detail[];

/** Path parameters win over body fields. All that is wrong is told at once. */
export function inputOf(request: Request, endpoint: Endpoint, config: Config, problems: Problems = () => []): Input {
  const whole = endpoint.method === 'get' || endpoint.takes ? queryOf(request) : jsonBody(request, config);
  const given = { ...whole, ...request.params };
  return readInput(given, endpoint, (read) => [...askedProblems(request, endpoint), ...problems(read)]);
}

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

/** Of a parameter that is given twice the last one is read, where it is read at all. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));

export function invalid(details: readonly Detail[]): ApiError {
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are not right: ${fields}`, { details });
}
