/** What a request says beside its body: headers and query, read once and checked. */
import type { Request } from 'express';
import type { Config } from '../config/config';
import type { Endpoint } from '../contract/endpoint';
import type { JsonObject } from '../domain/lead';
import { longestWaitS } from '../contract/leads';
import { jsonBody } from './body';
import { askedProblems, waitS } from './asked-for';
import { ApiError } from '../contract/errors';
import { readInput, type Input, type Problems } from '../intake/input';

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

/** Path parameters win over body fields. All that is wrong is told at once. */
export function inputOf(request: Request, endpoint: Endpoint, config: Config, problems: Problems = () => []): Input {
  const whole = endpoint.method === 'get' || endpoint.takes ? queryOf(request) : jsonBody(request, config);
  const given = { ...whole, ...request.params };
  return readInput(given, endpoint, (read) => [...askedProblems(request, endpoint), ...problems(read)]);
}

/** Of a parameter that is given twice the last one is read, where it is read at all. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));
