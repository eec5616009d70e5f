/** Converts JSON schemas to TypeScript types. */
import { absentRef, allOfParts, type Schema } from '../../src/contract/json-schema';

const quoted = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
export const literal = (value: unknown): string => (typeof value === 'string' ? quoted(value) : JSON.stringify(value));
const name = (field: string) => (/^[A-Za-z_]\w*$/.test(field) ? field : quoted(field));

/** Writes the comment above a field or a method. */
export const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** Converts a pattern of numbered names, such as `^q[0-9]+$`, to the types of its keys. */
function numbered(pattern: string): readonly string[] {
  const [, several, one = ''] = /^\^(?:\(([\w|]+)\)|(\w+?))(?=_?\[)/.exec(pattern) ?? [];
  const [, underscore = ''] = /(_?)\[0-9\]/.exec(pattern) ?? [];
  return (several?.split('|') ?? [one]).map((word) => `\`${word}${underscore}\${number}\``);
}

const isRecord = ({ properties, patternProperties }: Schema) => properties !== undefined || patternProperties !== undefined;

/** Writes the type of an object, one field per line. */
function record(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const parts = allOfParts(schema);
  const required = parts.flatMap((part) => part.required ?? []);
  const fields = Object.entries(Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Readonly<Record<string, Schema>>);
  const patterns = parts.flatMap((part) => Object.entries(part.patternProperties ?? {}));
  const lines = [
    ...fields.map(
      ([field, type]) =>
        `${comment(type.description, inner)}${inner}${name(field)}${required.includes(field) ? '' : '?'}: ${typeOf(type, inner)};\n`,
    ),
    ...patterns.flatMap(([pattern, type]) =>
      numbered(pattern).map((key) => `${comment(type.description, inner)}${inner}[numbered: ${key}]: ${optional(typeOf(type, inner))};\n`),
    ),
    ...(isOpen(schema) ? [`${inner}[name: string]: unknown;\n`] : []),
  ];
  return `{\n${lines.join('')}${indent}}`;
}

const optional = (type: string) => (type === 'unknown' ? type : union([type, 'undefined']));

/** True if the object can have fields of any name. */
const isOpen = ({ additionalProperties }: Schema) =>
  typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0;

function ofType(type: string, schema: Schema, indent: string): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return `readonly ${item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item}[]`;
  }
  if (type !== 'object') return type;
  const { additionalProperties, propertyNames, required } = schema;
  const keys = required && propertyNames?.enum ? typeOf(propertyNames) : 'string';
  return `Readonly<Record<${keys}, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>>`;
}

export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref === absentRef.$ref) return 'null';
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  if (allOfParts(schema).some(isRecord)) return record(schema, indent);
  if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, indent)));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : union(types.map((type) => ofType(type, schema, indent)));
}
