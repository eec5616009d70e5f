/** Defines a row of the contract: everything that an endpoint promises, as data. The router, OpenAPI and the reference are built from it. */
import type { z } from 'zod';
import type { Config } from '../config/config';
import type { Need } from '../config/upstreams';
import type { Detail, ErrorCode, JsonObject } from '../domain/lead';

/**
 * What handles a request:
 * `lead`  a run that may outlive the request (202), has a lead id, and starts only once for the same body;
 * `call`  a run that the request waits for, without a lead;
 * `api`   the API process itself.
 */
export type HandledBy = 'lead' | 'call' | 'api';

export interface Endpoint {
  readonly method: 'get' | 'post' | 'patch';
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly handledBy: HandledBy;
  /** Overrides the scope that follows from `group`, `method` and `handledBy`, for example to restrict a read to operators. */
  readonly scope?: 'operator' | 'sending' | 'following';
  /** The flow of this route's leads. */
  readonly flow?: string;
  /** The step of the flow, if this route runs a single step. */
  readonly step?: string;
  /** The settings that this request requires. */
  readonly uses?: (input: JsonObject) => readonly Need[];
  /** How long the API waits for the result of a call. */
  readonly waitMs?: (config: Config) => number;
  /** The error if the call has not ended by then. */
  readonly lateError?: ErrorCode;
  /** The error codes that it can return, besides those of every route. */
  readonly errors: readonly ErrorCode[];
  /** Set if its answer reports that the sandbox stood in for an upstream. A route with `uses` always reports it. */
  readonly reportsSandbox?: true;
  /** Path, query and body fields in one object. Path parameters override body fields. */
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  /** Set if the body is a file. The fields are then query parameters. */
  readonly upload?: { readonly type: 'text/csv'; readonly description: string; readonly example: string };
  /** The schema of a line, if the route can stream its answer as NDJSON. */
  readonly lines?: z.ZodType;
  /** Set if the successful answer is a file. */
  readonly download?: 'text/csv';
  /** The body of a 202, if the route starts a run and does not wait for it. */
  readonly accepted?: z.ZodType;
  /** The body of a 202, if the work continues in the background. A repeat of the request returns its progress. */
  readonly unfinished?: z.ZodType;
  /** Set if the workflow receives the body unchanged, including unknown fields (group E). */
  readonly keepsInput?: true;
  /** Aliases of one field. In a redrive, a corrected value under any of them replaces the stored one. */
  readonly sameField?: readonly string[];
  /** Finds corrected fields of a redrive that would have no effect. `mended` is the stored body with these fields applied. */
  readonly withoutEffect?: (fields: JsonObject, mended: JsonObject) => readonly Detail[];
  /** The action's name on the audit trail. The request is recorded before it is carried out, or it is refused. */
  readonly audited?: string;
  /** Set if the answer of a call shows a person's record, or a key that gives access to such records. The audit trail records who read it. */
  readonly showsRecord?: true;
  readonly example?: Readonly<Record<string, unknown>>;
}

export const endpoint = <const E extends Endpoint>(declared: E): E => declared;

/** True if the route accepts an Idempotency-Key. */
export const isRepeatable = ({ errors }: Pick<Endpoint, 'errors'>): boolean => errors.includes('IDEMPOTENCY_KEY_REUSED');

/** The names of a path's parameters. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** Converts `{id}` to `:id`, the form of Express and Postman. */
export const colonPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');
