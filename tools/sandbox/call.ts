/**
 * Declares the types of the sandbox. A simulator stands for one upstream and is a list of calls. A call has its path, the texts that may
 * contain its sentinels, and the answer of a healthy upstream. Failures are in effects.ts.
 */
import { isObject } from '../../src/domain/formats';

export type JsonBody = Record<string, unknown>;
export type SimulatedAnswer = { status: number; body: JsonBody };

/** How often a request is stored. The answer is the same, with the id of the first copy. */
export type Copies = 0 | 1 | 2;

/** One request, parsed. */
export type SimulatedRequest = {
  params: Record<string, string>;
  query: URLSearchParams;
  bearer: string;
  /** The header `x-api-key`. */
  apiKey: string;
  contentType: string;
  /** Returns a header by its name in lower case; `""` if absent. */
  header(name: string): string;
  text: string;
};

export type SimulatedCall = {
  /** The first part of its sentinels: `v1` in `v1-500`. */
  name: string;
  method: 'get' | 'post';
  path: string;
  about: string;
  /** Describes the texts of `words`, for the start page. */
  readsSentinelsFrom: string;
  /** True if the request is for this call, if several calls share a path. */
  matches?(request: SimulatedRequest): boolean;
  sentinelTexts(request: SimulatedRequest): string[];
  /** Redacts keys in the body, for the journal. */
  redact?(text: string): string;
  /**
   * Validates and carries out the request, and stores it this many times: once by default. A call stores another number only if an effect of
   * it does.
   */
  answer(request: SimulatedRequest, copies: Copies): SimulatedAnswer;
  /** Formats an error body as this upstream does. */
  errorBody(status: number, message: string): JsonBody;
  /** The answer to invalid data; a 422 by default. */
  refused?: SimulatedAnswer;
  /** Revokes the caller's key and answers; a plain 401 by default. */
  revoked?(request: SimulatedRequest): SimulatedAnswer;
  /** The required fields of a valid answer, the most important one last. */
  essential: readonly string[];
};

export type Simulator = {
  name: string;
  calls: SimulatedCall[];
  /** Its content, for `GET /__state`. */
  state(): unknown;
  /** Its content as the CSV that such a system exports. */
  csv?(): string;
  revokeKeys(): number;
  /** Adds many items at once, and returns their ids. */
  fill?(wanted: Record<'projects' | 'users' | 'cards' | 'comments' | 'bytes', number>): unknown;
  reset(): void;
};

/** Parses a JSON object; undefined for anything else. */
export function jsonObject(text: string): JsonBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A non-empty string, trimmed; undefined for anything else. */
export const filled = (value: unknown): string | undefined => (typeof value === 'string' && value.trim()) || undefined;
