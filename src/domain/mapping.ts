/** A mapping as a table: each row is a field of what goes out, with the places its value may come from; the first that has one counts. */
import type { JsonObject } from './lead';

/** Where a value came from. `caller` also where only its form was changed. */
export const allOrigins = ['caller', 'site configuration', 'default', 'rule'] as const;
export type Origin = (typeof allOrigins)[number];

interface Source<From> {
  readonly origin: Origin;
  read(from: From): unknown;
}

/** The path says where the field stands: `patientInfo.status`. */
export type Row<From> = readonly [path: string, ...sources: Source<From>[]];

export interface Mapped {
  readonly payload: JsonObject;
  readonly origins: Readonly<Record<string, Origin>>;
}

/** The caller's field of that name, in another form where one is given. */
export const caller = (name: string, form: (value: string) => unknown = (value) => value): Source<{ readonly body: JsonObject }> => ({
  origin: 'caller',
  read: ({ body }) => (typeof body[name] === 'string' ? form(body[name]) : body[name]),
});

export const by = <From>(origin: Origin, read: (from: From) => unknown): Source<From> => ({ origin, read });

/** An absent value leaves its field out, and the objects around it when nothing else is in them. */
export function mapped<From>(rows: readonly Row<From>[], from: From): Mapped {
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

/** An object without its absent values. */
export const present = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function put(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) put((into[name] ??= {}) as Record<string, unknown>, rest, value);
  else into[name] = value;
}
