/** A request body → a JSON object, within the limits; anything else is a 400, 413 or 415 in words. */
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Config } from '../config/config';
import { endpointTable } from '../contract';
import type { JsonObject } from '../domain/lead';
import { ApiError } from '../contract/errors';

/** Reads the bytes; decompresses, and stops at the limit after decompression. */
export function readBytes({ BODY_LIMIT_BYTES }: Config): RequestHandler {
  const read = bytesUpTo(BODY_LIMIT_BYTES);
  return (request, response, next) => (filePaths.has(request.path) ? next() : read(request, response, next));
}

const bytesUpTo = (limit: number) => express.raw({ type: () => true, limit });

const filePaths: ReadonlySet<string> = new Set(endpointTable.flatMap(([, { path, takes }]) => (takes ? [path] : [])));

/** A file is larger, so it is read from callers only who may send one. */
export const readFile = (request: Request, response: Response, { IMPORT_BYTES_MAX }: Config): Promise<void> =>
  new Promise((done, refuse) =>
    bytesUpTo(IMPORT_BYTES_MAX)(request, response, (error?: unknown) => (error instanceof Error ? refuse(error) : done())),
  );

const csvType = /^text\/csv\s*(?:;.*)?$/i;

export function csvBytes({ headers, body }: Request): Buffer {
  if (!csvType.test(headers['content-type'] ?? '')) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be text/csv');
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i;

export function jsonBody(request: Request, config: Config): JsonObject {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be application/json, in UTF-8');
  const text = decoded(request.body);
  measure(text, config);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('The body must be a JSON object');
  return value as JsonObject;
}

const wrong = (message: string) => new ApiError('VALIDATION_ERROR', message);

function decoded(body: unknown): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  } catch {
    throw wrong('The body must be valid UTF-8');
  }
}

/** Depth and number of keys, counted before parsing, so that a hostile body costs one pass and no memory. */
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
    throw wrong('The body must be valid JSON');
  }
  if (broken) throw wrong('The body must not hold NUL characters or broken Unicode');
  return value;
}
