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
  return seconds === undefined ? config.SYNC_WAIT_MS : Math.min(Number(seconds), longestWaitS) * 1000;
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

export const isDryRun = ({ headers }: Request): boolean =>
  String(headers['x-dry-run'] ?? '')
    .trim()
    .toLowerCase() === 'true';

/** The input as the contract reads it. Path parameters win over body fields; group E keeps the body as it came. */
export function inputOf(request: Request, endpoint: Endpoint, config: Config): JsonObject {
  const given = endpoint.method === 'get' ? queryOf(request) : jsonBody(request, config);
  const whole = { ...given, ...request.params };
  const read = endpoint.input.safeParse(whole);
  if (!read.success) throw invalid(read.error.issues);
  return endpoint.keepsInput ? whole : (read.data as JsonObject);
}

/** Of a parameter that is given twice the last counts. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));

function invalid(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): ApiError {
  const details = issues.map(({ path, message }): Detail => ({ field: path.join('.'), message }));
  const fields = [...new Set(details.map(({ field }) => field))].join(', ');
  return new ApiError('VALIDATION_ERROR', `These fields are not right: ${fields}`, { details });
}
