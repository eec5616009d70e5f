/**
 * The types of the sandbox. A simulator plays one upstream and is a list of calls. A call says how it is addressed, where to look for its
 * sentinels, and what a healthy upstream would answer. Everything that goes wrong is in effects.ts.
 */
import { isObject } from '../../src/domain/formats';

export type Body = Record<string, unknown>;
export type Answer = { status: number; body: Body };

/** One request, parsed. */
export type Incoming = {
  params: Record<string, string>;
  query: URLSearchParams;
  bearer: string;
  /** The header `x-api-key`. */
  apiKey: string;
  contentType: string;
  /** Any other header, by its name in lower case; `""` if absent. */
  header(name: string): string;
  text: string;
};

export type Call = {
  /** The first part of its sentinels: `v1` in `v1-500`. */
  name: string;
  method: 'get' | 'post';
  path: string;
  about: string;
  /** Describes the texts of `words`, for the docs. */
  readsSentinelsFrom: string;
  /** Whether this call is meant, if several calls share a path. */
  takes?(request: Incoming): boolean;
  words(request: Incoming): string[];
  /** The body for the journal, without its key. */
  shown?(text: string): string;
  /** Checks the request, does what it asks, and stores it. */
  answer(request: Incoming): Answer;
  /** This upstream's form of an error body. */
  errorBody(status: number, message: string): Body;
  /** How this upstream refuses bad data; by default with a 422. */
  refused?: Answer;
  /** Revokes the caller's key and answers as this upstream does; by default a plain 401. */
  revoked?(request: Incoming): Answer;
  /** The fields that a right answer must have, the most important one last. */
  essential: readonly string[];
};

export type Simulator = {
  name: string;
  calls: Call[];
  /** Its content, for `GET /__state`. */
  state(): unknown;
  revokeKeys(): number;
  /** Adds many things at once, and returns where they are. */
  fill?(wanted: Record<'projects' | 'users' | 'cards' | 'comments' | 'bytes', number>): unknown;
  reset(): void;
};

/** Parses a JSON object; undefined for anything else. */
export function jsonObject(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A non-empty string, trimmed; undefined for anything else. */
export const filled = (value: unknown): string | undefined => (typeof value === 'string' && value.trim()) || undefined;
