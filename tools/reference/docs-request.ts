/** Builds the example request of a route, for the samples and the form of the page. */
import type { Schema } from '../../src/contract/json-schema';
import { withoutAbsent, resolve } from './docs-schema';
import type { Document, Operation, Parameter } from './openapi-types';

type Values = ReadonlyMap<string, unknown>;

export interface ExampleRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The text of the file that is the body. */
  readonly file?: string;
}

/** Collects example values by field name, from the examples of all routes. */
export function knownValues(document: Document): Values {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const bodies = operations.map((operation) => operation.requestBody?.content['application/json']?.example);
  const inParameters = operations.flatMap(({ parameters }) =>
    parameters
      .map((one) => resolve(document, one))
      .flatMap(({ name, example }) => (example === undefined ? [] : [[name, example] as const])),
  );
  return new Map([...bodies.flatMap((body) => Object.entries(body ?? {})), ...inParameters].reverse());
}

/** Only leads get a key: a repeated look-up would return its first answer. */
const sampleKey = 'sample-1';

const placeholder = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

/** Returns an example value for a field, or a placeholder if no example has one. */
const sample = (name: string, schema: Schema, known: Values): unknown => {
  if (known.has(name)) return known.get(name);
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? 'string'].flat();
  return type === 'integer' || type === 'number' ? 1 : placeholder(name);
};

/** Returns the value of a parameter in the example. Optional parameters are empty. */
export function valueOf({ name, in: place, required, schema, example }: Parameter, known: Values): string {
  if (!required) return '';
  return String(example ?? (place === 'path' ? placeholder(name) : sample(name, withoutAbsent(schema), known)));
}

function bodyOf({ requestBody }: Operation, known: Values): unknown {
  const content = requestBody?.content['application/json'];
  if (!content) return undefined;
  const { schema, example } = content;
  if (example !== undefined) return example;
  const needed = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
  return Object.fromEntries(needed.map(([name, type]) => [name, sample(name, withoutAbsent(type), known)]));
}

export function exampleRequest(
  path: string,
  method: string,
  operation: Operation,
  parameters: readonly Parameter[],
  known: Values,
  needsKey: boolean,
): ExampleRequest {
  const values = new Map(parameters.map((parameter) => [parameter.name, encodeURIComponent(valueOf(parameter, known))]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '');
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const search = query.map(({ name }) => `${name}=${values.get(name)}`).join('&');
  const body = bodyOf(operation, known);
  const file = operation.requestBody?.content['text/csv'];
  const type = body === undefined ? file && 'text/csv' : 'application/json';
  return {
    method: method.toUpperCase(),
    path: `${filled}${search && `?${search}`}`,
    headers: {
      ...(needsKey && !operation.security && { Authorization: 'Bearer YOUR_KEY' }),
      ...(type && { 'Content-Type': type }),
      ...(parameters.some(({ name }) => name === 'X-Dry-Run') && { 'Idempotency-Key': sampleKey }),
    },
    body,
    ...(file && { file: String(file.example) }),
  };
}
