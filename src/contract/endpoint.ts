/** What an endpoint promises, as data. Router, OpenAPI, docs and client are read from rows of this shape. */
import type { z } from 'zod';
import type { Config } from '../config/config';
import type { Need } from '../config/needs';
import type { ErrorCode, JsonObject } from '../domain/lead';

/**
 * How a request is carried:
 * `lead`  a durable run that may outlive the request (202), is found again by its lead id, and is never started twice for the same body;
 * `call`  a run that the request waits for, without a lead of its own;
 * `here`  answered by the API process itself.
 */
export type Carried = 'lead' | 'call' | 'here';

export interface Endpoint {
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly carried: Carried;
  /** Where it is another than its method and kind have: a read that shows more than a sender of leads may see, or an act that is theirs. */
  readonly scope?: 'operator' | 'leads';
  /** The flow that a lead of this route belongs to. */
  readonly flow?: string;
  /** The settings that this request cannot do without, each with what can stand for it. */
  readonly uses?: (input: JsonObject) => readonly Need[];
  /** How long a call is waited for, and what is answered when it is not over by then. */
  readonly waitMs?: (config: Config) => number;
  readonly late?: ErrorCode;
  /** Path, query and body fields in one object; path parameters win over body fields. */
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Its body is a file and no JSON: its fields stand in the query. */
  readonly takes?: { readonly type: 'text/csv'; readonly description: string; readonly example: string };
  /** It may also answer in lines (NDJSON), each as soon as it is known. */
  readonly lines?: z.ZodType;
  /** The answer, 202, of a row that hands work over to a run and does not wait for it. */
  readonly accepted?: z.ZodType;
  /** The workflow gets the body as it came, unknown fields included (group E). */
  readonly keepsInput?: true;
  /** Its name on the audit trail: it is written down before it is done, or it is not done. */
  readonly audited?: string;
  readonly example?: Readonly<Record<string, unknown>>;
}

export const endpoint = <const E extends Endpoint>(declared: E): E => declared;
