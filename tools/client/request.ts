/** Builds the request of an endpoint: some fields go into the path, the others into the query or the body. */
import type { Request } from './exchange.ts';

type Fields = Readonly<Record<string, unknown>>;

export function requestOf(
  method: Request['method'],
  path: string,
  fields: object = {},
): Pick<Request, 'method' | 'path' | 'headers' | 'body'> {
  const { filled, rest } = inPath(path, fields as Fields);
  if (method === 'GET') return { method, path: withQuery(filled, rest) };
  return { method, path: filled, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(rest) };
}

/** Builds the request of a file route, whose fields are query parameters. */
export const fileRequest = (path: string, fields: object, csv: string): Pick<Request, 'method' | 'path' | 'headers' | 'body'> => ({
  method: 'POST',
  path: withQuery(path, fields as Fields),
  headers: { 'Content-Type': 'text/csv; charset=utf-8' },
  body: csv,
});

function inPath(path: string, fields: Fields): { readonly filled: string; readonly rest: Fields } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    filled: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name]))),
    rest: Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))),
  };
}

function withQuery(path: string, fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return query ? `${path}?${query}` : path;
}
