/**
 * Reads and validates an HTTP request: the body (JSON, or CSV for a file), the query, and the headers Idempotency-Key, X-Dry-Run,
 * X-Callback-URL and Prefer. Reports all invalid fields of body, query, Idempotency-Key and Prefer at once.
 */
import express, { type Request, type RequestHandler, type Response } from 'express';
import { callbackProblem } from '../config/callback-url';
import type { Config } from '../config/config';
import { endpointTable } from '../contract';
import { isRepeatable, pathNames, type Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { inputSchema, namesIn, readInput, truncatedName, unknownName, type Input, type InputCheck } from '../contract/input';
import type { Schema } from '../contract/json-schema';
import { longestWaitS } from '../contract/leads';
import type { Detail, JsonObject } from '../domain/lead';
import { plainKey } from '../domain/reference';
import { jsonFault } from '../lib/json-fault';

const csvType = /^text\/csv\s*(?:;.*)?$/i;
const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/** Returns how long the request waits for its run. */
export function waitMs(request: Request, config: Config): number {
  const seconds = waitS(request);
  return seconds === undefined ? config.SYNC_WAIT_MS : seconds * 1000;
}

export const boundedWaitMs = (seconds: number | undefined): number => Math.min(Math.max(seconds ?? 0, 0), longestWaitS) * 1000;

export const invalidHeader = (name: string, message: string) =>
  new ApiError('VALIDATION_ERROR', `${name} ${message}`, { details: [{ field: name, message }] });

export function idempotencyKey({ headers, method }: Request): string | undefined {
  const [given] = [headers['idempotency-key']].flat();
  return given === undefined || method === 'GET' ? undefined : plainKey(given);
}

function keyProblems(request: Request): Detail[] {
  const key = idempotencyKey(request);
  return key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)
    ? []
    : [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }];
}

/** Rejects an unknown value, and a dry run on a task-board route: a dry run must never become a real request. */
export function isDryRun({ headers }: Request, { handledBy, group }: Endpoint): boolean {
  const [given = 'false'] = [headers['x-dry-run']].flat();
  const word = given.trim().toLowerCase();
  if (word !== 'true' && word !== 'false') throw invalidHeader('X-Dry-Run', 'must be true or false');
  if (word === 'true' && group.startsWith('A')) throw invalidHeader('X-Dry-Run', 'applies only to leads: this route has no dry run');
  return word === 'true' && handledBy === 'lead';
}

/** Reads the additional receiver of the lead's events. Rejects a URL that is not allowed, because no events would arrive there. */
export function callbackUrl({ headersDistinct }: Request, { handledBy }: Endpoint, config: Config): string | undefined {
  const [url, another] = headersDistinct['x-callback-url'] ?? [];
  if (url === undefined) return undefined;
  const isCall = handledBy === 'call' && 'applies only to leads: this route has no events';
  const message = isCall || (another === undefined ? callbackProblem(url, config) : 'must be sent only once');
  if (message) throw invalidHeader('X-Callback-URL', message);
  return url;
}

/** Reads query or body, and path parameters, as one object. Path parameters override body fields. */
export function inputOf(request: Request, endpoint: Endpoint, config: Config, problems: InputCheck = () => []): Input {
  const whole = endpoint.method === 'get' || endpoint.upload ? queryOf(request) : jsonBody(request, config);
  const given = { ...whole, ...request.params };
  return readInput(given, endpoint, (read) => [...requestProblems(request, endpoint), ...problems(read)]);
}

/** Reads the query as an object. The last value of a repeated parameter counts. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));

/** True for a route that rejects unknown query parameters: an ignored filter would return the wrong data. */
const rejectsUnknownParameters = ({ method, path, upload }: Endpoint): boolean =>
  method === 'get' || /^\/api\/(leads|events)\b/.test(path) || upload !== undefined;

/** The query parameter of a route that sends leads. */
const waitQuery: Schema = { properties: { wait: {} } };

function queryProblems({ query }: Request, endpoint: Endpoint): Detail[] {
  const given = Object.entries(query);
  if (given.length === 0) return [];
  const { method, upload, handledBy, input } = endpoint;
  const schema = method === 'get' || upload ? inputSchema(input) : handledBy === 'lead' ? waitQuery : {};
  const names = namesIn(schema, pathNames(endpoint.path));
  return given.flatMap(([name, value]): Detail[] => {
    if (!names.knows(name)) return rejectsUnknownParameters(endpoint) ? [unknownName(name, names, 'in this query')] : [];
    return Array.isArray(value) ? [{ field: truncatedName(name), message: 'must be sent only once' }] : [];
  });
}

const isWait = (seconds: string): boolean => /^\d{1,9}$/.test(seconds) && Number(seconds) <= longestWaitS;

interface Preference {
  readonly name: string;
  readonly value: string;
}

const preferences = (request: Request): Preference[] =>
  String(request.headers.prefer ?? '')
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', value = ''] = part.split('=').map((word) => word.trim());
      return { name: name.toLowerCase(), value: value.replace(/^"(.*)"$/, '$1') };
    });

function waitProblems(request: Request): Detail[] {
  const message = `must be respond-async or wait=N, N from 0 to ${longestWaitS}`;
  const isSupported = ({ name, value }: Preference) => (name === 'wait' ? isWait(value) : name === 'respond-async' && value === '');
  const asked = request.query.wait;
  return [
    ...(preferences(request).every(isSupported) ? [] : [{ field: 'Prefer', message }]),
    ...(typeof asked !== 'string' || isWait(asked) ? [] : [{ field: 'wait', message: `must be 0 to ${longestWaitS}` }]),
  ];
}

const requestProblems = (request: Request, endpoint: Endpoint): Detail[] => [
  ...queryProblems(request, endpoint),
  ...(isRepeatable(endpoint) ? keyProblems(request) : []),
  ...(endpoint.handledBy === 'lead' ? waitProblems(request) : []),
];

/** Reads how many seconds the request asks to wait for its run; undefined if it does not ask. */
export function waitS(request: Request): number | undefined {
  const found = preferences(request);
  if (found.some(({ name }) => name === 'respond-async')) return 0;
  const asked = found.find(({ name }) => name === 'wait')?.value ?? request.query.wait;
  return typeof asked === 'string' ? Number(asked) : undefined;
}

/** Rejects a URL with invalid UTF-8 or a NUL, in which the query parser would insert a replacement character. */
export const readableUrl: RequestHandler = ({ url }, _response, next) => {
  if (!isReadable(url)) throw invalidRequest('The URL must be valid UTF-8, without NUL characters');
  next();
};

function isReadable(url: string): boolean {
  try {
    return !decodeURIComponent(url).includes('\0');
  } catch {
    return false;
  }
}

/** Normalises the path as Express compares it: without case and trailing slash. */
export const routePath = ({ path }: Request): string => path.toLowerCase().replace(/\/$/, '');

/** Reads and decompresses the body. The limit applies after decompression. `readFile` reads the body of a file. */
export function readBytes({ BODY_LIMIT_BYTES }: Config): RequestHandler {
  const read = bytesUpTo(BODY_LIMIT_BYTES);
  return (request, response, next) => (filePaths.has(routePath(request)) ? next() : read(request, response, next));
}

const bytesUpTo = (limit: number) => express.raw({ type: () => true, limit });

const filePaths: ReadonlySet<string> = new Set(endpointTable.flatMap(([, { path, upload }]) => (upload ? [path] : [])));

/** The limit of a file: so many bytes per row, and the limit of a body on top. */
const bytesForRow = 500;

/** Reads the body of a file. Its limit is larger, so call it after the caller's scopes are checked. */
export const readFile = (request: Request, response: Response, { IMPORT_ROWS_MAX, BODY_LIMIT_BYTES }: Config): Promise<void> =>
  new Promise((done, refuse) =>
    bytesUpTo(IMPORT_ROWS_MAX * bytesForRow + BODY_LIMIT_BYTES)(request, response, (error?: unknown) =>
      error instanceof Error ? refuse(error) : done(),
    ),
  );

export function csvBytes({ headers, body }: Request): Buffer {
  if (!csvType.test(headers['content-type'] ?? '')) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be text/csv');
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

export function jsonBody(request: Request, config: Config): JsonObject {
  const type = request.headers['content-type'] ?? '';
  if (!jsonType.test(type) || otherCharset.test(type))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be application/json, in UTF-8');
  const text = decoded(request.body);
  checkSize(text, config);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest('The body must be a JSON object');
  return value as JsonObject;
}

function notJson(text: string): ApiError {
  const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: 'a value' };
  return invalidRequest(`The body must be valid JSON: ${expected} is expected in line ${line}, column ${column}`);
}

const invalidRequest = (message: string) => new ApiError('VALIDATION_ERROR', message);

function decoded(body: unknown): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  } catch {
    throw invalidRequest('The body must be valid UTF-8');
  }
}

/** Checks depth and number of keys before parsing, so that a malicious body costs one pass and no memory. */
function checkSize(text: string, { JSON_DEPTH_MAX, JSON_KEYS_MAX }: Config): void {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (character === ':') {
      if (++keys > JSON_KEYS_MAX) throw invalidRequest(`The body must have at most ${JSON_KEYS_MAX} keys`);
    } else if (character === '{' || character === '[') {
      if (++depth > JSON_DEPTH_MAX) throw invalidRequest(`The body must be nested at most ${JSON_DEPTH_MAX} deep`);
    } else if (character === '}' || character === ']') depth--;
  }
}

function parse(text: string): unknown {
  let broken = false;
  let value: unknown;
  const check = (part: string) => (broken ||= !part.isWellFormed() || part.includes('\0'));
  try {
    value = JSON.parse(text, (name, part: unknown) => {
      check(name);
      if (typeof part === 'string') check(part);
      return part;
    });
  } catch {
    throw notJson(text);
  }
  if (broken) throw invalidRequest('The body must not contain NUL characters or invalid Unicode');
  return value;
}
