/**
 * Uses the JSON schemas of the OpenAPI document in tests: resolves their references, and generates inputs, mostly valid, with at most one
 * invalid part.
 */
import * as fc from 'fast-check';
import type { Schema } from '../../src/contract/json-schema';
import { resolve } from '../../tools/reference/docs-schema';
import type { Document } from '../../tools/reference/openapi-types';

/** Inlines all references: a small schema compiles a hundred times as fast as a reference into the whole document. */
export function whole(document: Document, schema: unknown): Schema {
  if (Array.isArray(schema)) return schema.map((part) => whole(document, part)) as unknown as Schema;
  if (typeof schema !== 'object' || schema === null) return schema as Schema;
  if ('$ref' in schema) return whole(document, resolve<Schema>(document, schema as Schema));
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, whole(document, part)]));
}

/** Any character but NUL, which no body may contain. The character tables of fast-check take a minute to load under jest. */
const character = fc
  .oneof(fc.integer({ min: 1, max: 0x7f }), fc.integer({ min: 0x80, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: character, maxLength: 30 });
const anyJson = fc.jsonValue({ maxDepth: 2 });

const text = ({ pattern, maxLength }: Schema): fc.Arbitrary<unknown> => {
  // fast-check does not support look-ahead.
  const made = pattern && !pattern.includes('(?') ? fc.stringMatching(new RegExp(pattern)) : anyText;
  return made.map((value) => value.slice(0, maxLength));
};

const byType: Readonly<Record<string, (schema: Schema, from: (schema: Schema) => fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>>> = {
  string: text,
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: () => fc.oneof(fc.integer(), fc.maxSafeInteger()),
  number: () => fc.oneof(fc.integer(), fc.double({ min: -1e9, max: 1e9, noNaN: true })),
  array: ({ items = {} }, from) => fc.array(from(items), { maxLength: 3 }),
  object: ({ properties = {}, required = [] }, from) =>
    fc.record(Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, from(part)])), { requiredKeys: [...required] }),
};

/** Generates values that the schema mostly allows, as a caller might write them. */
export function written(document: Document, given: Schema): fc.Arbitrary<unknown> {
  const from = (schema: Schema): fc.Arbitrary<unknown> => {
    const { anyOf, enum: words, type, const: constant } = resolve(document, schema);
    if (constant !== undefined) return fc.constant(constant);
    if (words) return fc.constantFrom(...words);
    if (anyOf) return fc.oneof(...anyOf.map(from));
    const types = [type ?? []].flat();
    return types.length > 0
      ? fc.oneof(...types.map((name) => (byType[name] ?? (() => anyJson))(resolve(document, schema), from)))
      : anyJson;
  };
  return from(given);
}

type Fields = Readonly<Record<string, Schema>>;
type Values = Readonly<Record<string, unknown>>;

/** Generates a valid request with some fields replaced, and possibly one that is arbitrary or missing. */
export function changed(document: Document, example: Values, fields: Fields, isQuery = false): fc.Arbitrary<Values> {
  const names = Object.keys(fields);
  if (names.length === 0) return fc.constant(example);
  const rewritten = fc.record(Object.fromEntries(names.map((name) => [name, written(document, fields[name] ?? {})])), { requiredKeys: [] });
  const few = fc
    .tuple(rewritten, fc.subarray(names, { maxLength: Math.min(4, names.length) }))
    .map(([values, chosen]) => Object.fromEntries(Object.entries(values).filter(([name]) => chosen.includes(name))));
  const broken = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...names), isQuery ? anyText : anyJson).map(([name, value]) => ({ [name]: value })) },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => ({ [name]: undefined })) },
  );
  return fc
    .tuple(few, broken)
    .map(([right, wrong]) =>
      Object.fromEntries(Object.entries({ ...example, ...right, ...wrong }).filter(([, value]) => value !== undefined)),
    );
}
