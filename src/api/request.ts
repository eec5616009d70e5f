/**
 * Reads an HTTP request and checks it: body (JSON, or CSV for a file), query, and the headers Idempotency-Key, X-Dry-Run, X-Callback-URL
 * and Prefer. All wrong fields of the body, the query and Prefer are reported at once.
 */
import express, { type Request, type RequestHandler, type Response } from 'express';
import { callbackProblem } from '../config/callback-url';
import type { Config } from '../config/config';
import { endpointTable } from '../contract';
import { pathNames, type Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import { inputSchema, namesIn, readInput, shownName, unknownName, type Input, type Problems } from '../contract/input';
import type { Schema } from '../contract/json-schema';
import { longestWaitS } from '../contract/leads';
import type { Detail, JsonObject } from '../domain/lead';
import { jsonFault } from '../lib/json-fault';

const csvType = /^text\/csv\s*(?:;.*)?$/i;
const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/** How long this request waits for its run, in milliseconds. */
export function waitMs(request: Request, config: Config): number {
  const seconds = waitS(request);
  return seconds === undefined ? config.SYNC_WAIT_MS : seconds * 1000;
}

export const longestWaitMs = (seconds: number | undefined): number => Math.min(Math.max(seconds ?? 0, 0), longestWaitS) * 1000;

export const wrongHeader = (name: string, message: string) =>
  new ApiError('VALIDATION_ERROR', `${name} ${message}`, { details: [{ field: name, message }] });

export function idempotencyKey({ headers, method }: Request): string | undefined {
  const [key] = [headers['idempotency-key']].flat();
  if (key === undefined || method === 'GET') return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw wrongHeader('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return key;
}

/** A request for a dry run must never become a real one: an unknown word, or a task-board route, is answered with 400. */
export function isDryRun({ headers }: Request, { carried, group }: Endpoint): boolean {
  const [given = 'false'] = [headers['x-dry-run']].flat();
  const word = given.trim().toLowerCase();
  if (word !== 'true' && word !== 'false') throw wrongHeader('X-Dry-Run', 'must be true or false');
  if (word === 'true' && group.startsWith('A')) throw wrongHeader('X-Dry-Run', 'is for leads: this route has no dry run');
  return word === 'true' && carried === 'lead';
}

/** Where the lead's events go, too. A URL that is not allowed is refused: a caller that waits for events would wait in vain. */
export function callbackUrl({ headersDistinct }: Request, { carried }: Endpoint, config: Config): string | undefined {
  const [url, another] = headersDistinct['x-callback-url'] ?? [];
  if (url === undefined) return undefined;
  const isCall = carried === 'call' && 'is for leads: this route has no events';
  const message = isCall || (another === undefined ? callbackProblem(url, config) : 'must be given once');
  if (message) throw wrongHeader('X-Callback-URL', message);
  return url;
}

/** Reads query, body and path parameters as one object. Path parameters win over body fields. */
export function inputOf(request: Request, endpoint: Endpoint, config: Config, problems: Problems = () => []): Input {
  const whole = endpoint.method === 'get' || endpoint.takes ? queryOf(request) : jsonBody(request, config);
  const given = { ...whole, ...request.params };
  return readInput(given, endpoint, (read) => [...askedProblems(request, endpoint), ...problems(read)]);
}

/** The query as an object. If a parameter is given twice, the last one counts. */
const queryOf = ({ query }: Request): JsonObject =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().at(-1)]));

/** Routes on which an unknown query parameter is an error: a filter that is ignored would give the answer to another question. */
const isStrict = ({ path, takes }: Endpoint): boolean => path.startsWith('/api/leads') || takes !== undefined;

/** The query parameters of a lead's route with a body. */
const waitQuery: Schema = { properties: { wait: {} } };

function queryProblems({ query }: Request, endpoint: Endpoint): Detail[] {
  const given = Object.entries(query);
  if (given.length === 0) return [];
  const { method, takes, carried, input } = endpoint;
  const schema = method === 'get' || takes ? inputSchema(input) : carried === 'lead' ? waitQuery : {};
  const names = namesIn(schema, pathNames(endpoint.path));
  return given.flatMap(([name, value]): Detail[] => {
    if (!names.knows(name)) return isStrict(endpoint) ? [unknownName(name, names, 'in this query')] : [];
    return Array.isArray(value) ? [{ field: shownName(name), message: 'must be given once' }] : [];
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
  const canBeHonoured = ({ name, value }: Preference) => (name === 'wait' ? isWait(value) : name === 'respond-async' && value === '');
  const asked = request.query.wait;
  return [
    ...(preferences(request).every(canBeHonoured) ? [] : [{ field: 'Prefer', message }]),
    ...(typeof asked !== 'string' || isWait(asked) ? [] : [{ field: 'wait', message: `must be 0 to ${longestWaitS}` }]),
  ];
}

export const askedProblems = (request: Request, endpoint: Endpoint): Detail[] => [
  ...queryProblems(request, endpoint),
  ...(endpoint.carried === 'lead' ? waitProblems(request) : []),
];

/** How long a lead's request asks to wait for its run, in seconds; undefined if it does not ask. */
export function waitS(request: Request): number | undefined {
  const found = preferences(request);
  if (found.some(({ name }) => name === 'respond-async')) return 0;
  const asked = found.find(({ name }) => name === 'wait')?.value ?? request.query.wait;
  return typeof asked === 'string' ? Number(asked) : undefined;
}

/** Refuses a URL that is not UTF-8, or that holds a NUL. The parser of the query would read on with a replacement character. */
export const readableUrl: RequestHandler = ({ url }, _response, next) => {
  if (!isReadable(url)) throw wrong('The URL must be valid UTF-8, without NUL characters');
  next();
};

function isReadable(url: string): boolean {
  try {
    return !decodeURIComponent(url).includes('\0');
  } catch {
    return false;
  }
}

/** The path as routes compare it: in any case, and with or without a slash at its end. */
export const routePath = ({ path }: Request): string => path.toLowerCase().replace(/\/$/, '');

/** Reads and decompresses the body, up to the limit after decompression. A file's body is left for `readFile`. */
export function readBytes({ BODY_LIMIT_BYTES }: Config): RequestHandler {
  const read = bytesUpTo(BODY_LIMIT_BYTES);
  return (request, response, next) => (filePaths.has(routePath(request)) ? next() : read(request, response, next));
}

const bytesUpTo = (limit: number) => express.raw({ type: () => true, limit });

const filePaths: ReadonlySet<string> = new Set(endpointTable.flatMap(([, { path, takes }]) => (takes ? [path] : [])));

/** A file may have this much for each of its rows, and one row that is as large as a body. */
const bytesForRow = 500;

/** Reads a file's body. Its limit is larger, so it is called after the caller's rights were checked. */
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
  measure(text, config);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('The body must be a JSON object');
  return value as JsonObject;
}

function notJson(text: string): ApiError {
  const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: 'a value' };
  return wrong(`The body must be valid JSON: ${expected} is expected in line ${line}, column ${column}`);
}

const wrong = (message: string) => new ApiError('VALIDATION_ERROR', message);

function decoded(body: unknown): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  } catch {
    throw wrong('The body must be valid UTF-8');
  }
}

/** Limits depth and number of keys before parsing, so that a hostile body costs one pass and no memory. */
function measure(text: string, { JSON_DEPTH_MAX, JSON_KEYS_MAX }: Config): void {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (character === ':') {
      if (++keys > JSON_KEYS_MAX) throw wrong(`The body must have at most ${JSON_KEYS_MAX} keys`);
    } else if (character === '{' || character === '[') {
      if (++depth > JSON_DEPTH_MAX) throw wrong(`The body must be nested at most ${JSON_DEPTH_MAX} deep`);
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
  if (broken) throw wrong('The body must not hold NUL characters or broken Unicode');
  return value;
}
