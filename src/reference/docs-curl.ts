/** Writes a route as a curl command to paste. */
import type { Schema } from '../contract/json-schema';
import { given, resolve } from './docs-schema';
import type { Document, Operation, Parameter } from './openapi-types';

type Values = ReadonlyMap<string, unknown>;

/** Field name → a value from some route's example. */
export function samples(document: Document): Values {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const bodies = operations.map((operation) => operation.requestBody?.content['application/json']?.example);
  const inParameters = operations.flatMap(({ parameters }) =>
    parameters
      .map((one) => resolve(document, one))
      .flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const])),
  );
  return new Map([...bodies.flatMap((body) => Object.entries(body ?? {})), ...inParameters].reverse());
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const placeholder = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

/** The value to show for a field. If no example has one, the reader fills it in. */
const sample = (name: string, schema: Schema, known: Values): unknown => {
  if (known.has(name)) return known.get(name);
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? 'string'].flat();
  return type === 'integer' || type === 'number' ? 1 : placeholder(name);
};

function bodyOf({ requestBody }: Operation, known: Values): unknown {
  const content = requestBody?.content['application/json'];
  if (!content) return undefined;
  const { schema, example } = content;
  if (example !== undefined) return example;
  const needed = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
  return Object.fromEntries(needed.map(([name, type]) => [name, sample(name, given(type), known)]));
}

export function curl(
  base: string,
  path: string,
  method: string,
  operation: Operation,
  parameters: readonly Parameter[],
  known: Values,
): string {
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const shown = parameters.find((parameter) => parameter.name === name)?.example;
    return shown === undefined ? placeholder(name) : encodeURIComponent(String(shown));
  });
  const search = query.map(
    ({ name, schema, example }) => `${name}=${encodeURIComponent(String(example ?? sample(name, given(schema), known)))}`,
  );
  const url = `${base}${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`;
  const body = bodyOf(operation, known);
  const file = operation.requestBody?.content['text/csv'];
  return [
    `curl -s ${method === 'get' || method === 'post' ? '' : `-X ${method.toUpperCase()} `}${search.length > 0 ? shellQuoted(url) : url}`,
    ...(file === undefined ? [] : [`-H 'Content-Type: text/csv'`, '--data-binary @leads.csv']),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}
