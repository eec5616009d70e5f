/**
 * Uses the OpenAPI document's JSON schemas in tests: resolves their references, and makes inputs from them, mostly valid, with one part
 * at a time made wrong.
 */
import * as fc from 'fast-check';
import type { Schema } from '../../src/contract/json-schema';
import { resolve } from '../../tools/reference/docs-schema';
import type { Document } from '../../tools/reference/openapi-types';

/** With everything in it that it refers to: a small schema compiles a hundred times as fast as a place in the whole document. */
export function whole(document: Document, schema: unknown): Schema {
  if (Array.isArray(schema)) return schema.map((part) => whole(document, part)) as unknown as Schema;
  if (typeof schema !== 'object' || schema === null) return schema as Schema;
  if ('$ref' in schema) return whole(document, resolve<Schema>(document, schema as Schema));
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, whole(document, part)]));
}

/** Any but NUL, which is forbidden in a whole body; fast-check's own tables of characters take a minute to load under jest. */
const character = fc
  .oneof(fc.integer({ min: 1, max: 0x7f }), fc.integer({ min: 0x80, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: character, maxLength: 30 });
const anyJson = fc.jsonValue({ maxDepth: 2 });

const text = ({ pattern, maxLength }: Schema): fc.Arbitrary<unknown> => {
  // fast-check writes no look-ahead.
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

/** As a caller might write it: what the schema allows, more or less. */
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

/** A right request with some fields written anew, and perhaps one more that is anything or left out. */
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
