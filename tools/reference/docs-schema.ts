/** Describes JSON schemas as text: the type and rules of a field, and the fields of an answer. */
import { absentRef, type Schema } from '../../src/contract/json-schema';
import type { Document, Ref } from './openapi-types';

const isRef = (value: object): value is Ref => '$ref' in value;

/** Resolves a `$ref`. */
export function resolve<T extends object>(document: Document, value: T | Ref): T {
  if (!isRef(value)) return value;
  const [, , section = '', name = ''] = value.$ref.split('/');
  const entries = (document.components as unknown as Readonly<Record<string, Readonly<Record<string, T>>>>)[section];
  const found = entries?.[name];
  if (!found) throw new Error(`The document has no ${value.$ref}`);
  return found;
}

/** Removes the alternative "absent", because the page marks the required fields. */
export function withoutAbsent({ anyOf, ...said }: Schema): Schema {
  const [schema, ...others] = anyOf?.filter(({ $ref }) => $ref !== absentRef.$ref) ?? [];
  return schema && others.length === 0 ? { ...schema, ...said } : { ...said, ...(anyOf && { anyOf }) };
}

export const typeOf = ({ type, const: constant, enum: words, items }: Schema): string => {
  if (constant !== undefined) return JSON.stringify(constant);
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (type === undefined) return words ? 'one of' : 'anything';
  return [type].flat().join(' or ');
};

/** Lists the rules of a field, in addition to its type. */
export function rulesOf({ description, enum: words, format, pattern, maxLength, default: standard }: Schema): string[] {
  return [
    description,
    words && `one of ${words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(', ')}`,
    format && !description && formats[format],
    pattern && !description && `matches ${pattern}`,
    maxLength && `at most ${maxLength} characters`,
    standard !== undefined && `default ${JSON.stringify(standard)}`,
  ].filter((rule) => typeof rule === 'string');
}

const formats: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  date: 'YYYY-MM-DD',
  uri: 'a URL',
  'date-time': 'ISO 8601 date and time',
};

/** Writes the fields of an answer in the form of JSON; `?` marks optional ones. */
export function sketch(document: Document, given: Schema, indent = ''): string {
  const schema = resolve(document, given);
  const inner = `${indent}  `;
  if (schema.anyOf) return schema.anyOf.map((one) => sketch(document, one, indent)).join(`\n${indent}or\n${indent}`);
  if (schema.type === 'array') return `[${sketch(document, schema.items ?? {}, indent)}, …]`;
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (!schema.properties) return schema.type === 'object' ? '{ … }' : typeOf(schema);
  const lines = Object.entries(schema.properties).map(
    ([name, type]) => `${inner}${name}${schema.required?.includes(name) ? '' : '?'}: ${sketch(document, type, inner)}`,
  );
  const more = isOpen(schema) ? [`${inner}…`] : [];
  return `{\n${[...lines, ...more].join('\n')}\n${indent}}`;
}

/** True if the object can have other fields. */
export const isOpen = ({ additionalProperties }: Schema): boolean => additionalProperties !== undefined && additionalProperties !== false;
