/** What a request says beside its body: headers and query, read once and checked. */
import type { Request } from 'express';
import type { Config } from '../config';
import type { Endpoint } from '../contract/endpoint';
import type { Detail, JsonObject } from '../domain/lead';
import { jsonBody } from './body';
import { ApiError } from './errors';

const longestWaitS = 60;

/** How long this request wants to wait for its run. */
export function waitMs(request: Request, config: Config): number {
  const prefer = String(request.headers.prefer ?? '');
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?/i.exec(prefer) ?? [];
  if (/(?:^|[,;\s])respond-async(?:$|[,;\s])/i.test(prefer)) return 0;
  const asked = seconds ?? (/^\d{1,9}$/.test(String(request.query.wait)) ? request.query.wait : undefined);
  return asked === undefined ? config.SYNC_WAIT_MS : Math.min(Number(asked), longestWaitS) * 1000;
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
  return readInput(given, endpoint, problems);
}

/** Also for a body that is here already: a stored lead with corrected fields. */
export function readInput(given: JsonObject, endpoint: Endpoint, problems: Problems): Input {
  const read = endpoint.input.safeParse(given);
  const details = [
    ...(read.error?.issues ?? []).map(({ path, message }): Detail => ({ field: path.join('.'), message })),
    ...problems(given),
  ];
  if (details.length > 0) throw invalid(details);
  return { given, body: endpoint.keepsInput ? given : (read.data as JsonObject) };
}

/** Of a parameter that is given twice the last counts. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));

function invalid(details: readonly Detail[]): ApiError {
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are not right: ${fields}`, { details });
}
