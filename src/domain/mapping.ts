/**
 * Maps a lead to an upstream's payload by a table. Each row has a field of the payload and the possible sources of its value; the first
 * source that has one is used.
 */
import type { JsonObject } from './lead';

/** The origin of a value. A reformatted value of the caller's is still `caller`. */
export const allOrigins = ['caller', 'site configuration', 'default', 'rule'] as const;
export type Origin = (typeof allOrigins)[number];

interface Source<From> {
  readonly origin: Origin;
  read(from: From): unknown;
}

/** The path is the field's place in the payload: `patientInfo.status`. */
export type MappingRow<From> = readonly [path: string, ...sources: Source<From>[]];

export interface MappedPayload {
  readonly payload: JsonObject;
  readonly origins: Readonly<Record<string, Origin>>;
}

/** Reads the caller's field of that name, formatted by `form` if given. */
export const fromCaller = (name: string, form: (value: string) => unknown = (value) => value): Source<{ readonly body: JsonObject }> => ({
  origin: 'caller',
  read: ({ body }) => (typeof body[name] === 'string' ? form(body[name]) : body[name]),
});

export const fromOrigin = <From>(origin: Origin, read: (from: From) => unknown): Source<From> => ({ origin, read });

/** Makes the payload and the origins. It leaves out absent values and the objects that would be empty. */
export function mapFields<From>(rows: readonly MappingRow<From>[], from: From): MappedPayload {
  const payload: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [path, ...sources] of rows) {
    const found = sources.map(({ origin, read }) => ({ origin, value: read(from) })).find(({ value }) => value !== undefined);
    if (!found) continue;
    put(payload, path.split('.'), found.value);
    origins[path] = found.origin;
  }
  return { payload, origins };
}

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) put((into[name] ??= {}) as Record<string, unknown>, rest, value);
  else into[name] = value;
}
