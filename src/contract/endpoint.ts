/** The shape of a row of the contract: all that an endpoint promises, as data. Router, OpenAPI and docs are made from such rows. */
import type { z } from 'zod';
import type { Config } from '../config/config';
import type { Need } from '../config/upstreams';
import type { Detail, ErrorCode, JsonObject } from '../domain/lead';

/**
 * How a request is carried:
 * `lead`  by a run that may outlive the request (202), is found again by its lead id, and is never started twice for the same body;
 * `call`  by a run that the request waits for and that is nobody's lead;
 * `here`  by the API process itself.
 */
export type Carried = 'lead' | 'call' | 'here';

export interface Endpoint {
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly carried: Carried;
  /** Overrides the scope that follows from the group, `method` and `carried`, such as for a read that only operators may see. */
  readonly scope?: 'operator' | 'sending' | 'following';
  /** The flow of this route's leads. */
  readonly flow?: string;
  /** The one step of the flow that this route runs. */
  readonly step?: string;
  /** The settings that this request cannot do without. */
  readonly uses?: (input: JsonObject) => readonly Need[];
  /** How long a call is waited for. */
  readonly waitMs?: (config: Config) => number;
  /** The error of a call that is not over by then. */
  readonly late?: ErrorCode;
  /** The codes of its errors, besides those of every route. */
  readonly errors: readonly ErrorCode[];
  /** Set if its answer tells that the sandbox stood in for an upstream; a route with `uses` always tells it. */
  readonly tellsSandbox?: true;
  /** Path, query and body fields in one object; path parameters win over body fields. */
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** For a route whose body is a file: its fields stand in the query. */
  readonly takes?: { readonly type: 'text/csv'; readonly description: string; readonly example: string };
  /** The lines (NDJSON) of a route that may also answer line by line. */
  readonly lines?: z.ZodType;
  /** For a route whose success is a file. */
  readonly gives?: 'text/csv';
  /** The body of a 202, for a route that hands work to a run and does not wait for it. */
  readonly accepted?: z.ZodType;
  /** The body of a 202, for a route whose work goes on by itself; the same request asks how far it is. */
  readonly unfinished?: z.ZodType;
  /** Set if the workflow gets the body as it came, with unknown fields (group E). */
  readonly keepsInput?: true;
  /** Names of one and the same field: in a redrive, a mended value under any of them replaces the stored one. */
  readonly sameField?: readonly string[];
  /** The mended fields of a redrive that would change nothing. `mended` is the stored body with these fields. */
  readonly withoutEffect?: (fields: JsonObject, mended: JsonObject) => readonly Detail[];
  /** The action's name on the audit trail. Such a request is written to the trail before it is done, or it is not done. */
  readonly audited?: string;
  /** Set if the answer of a call shows a person's record, or a key that opens such records: the audit trail gets who has read it. */
  readonly showsRecord?: true;
  readonly example?: Readonly<Record<string, unknown>>;
}

export const endpoint = <const E extends Endpoint>(declared: E): E => declared;

/** The names of a path's parameters. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** `{id}` as Express and Postman write it: `:id`. */
export const colonPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
