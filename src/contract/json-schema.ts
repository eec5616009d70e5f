/** Builds the JSON schemas of required and optional fields. Blank text and null count as absent, and the schemas say so. */
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of a value that counts as absent. The document defines it once; every optional field refers to it. */
export const absentSchema = {
  type: ['string', 'null'],
  pattern: '^\\s*$',
  description: 'null or blank text: counts as absent',
} as const;

export const absentRef = { $ref: '#/components/schemas/Absent' } as const;

/** Makes the schema of an optional field. Description and default are outside of `anyOf`, where tools look for them. */
export const optionalSchema = ({ description, default: standard, ...given }: JsonSchema): JsonSchema => ({
  ...(description !== undefined && { description }),
  ...(standard !== undefined && { default: standard }),
  anyOf: [given, absentRef],
});

/** Makes the schema of a required field, which must not be blank. */
export function requiredSchema({ anyOf, ...said }: JsonSchema = {}): JsonSchema {
  const [given = {}]: JsonSchema[] = Array.isArray(anyOf) ? anyOf : [];
  const isOpenText = [given.type].flat().includes('string') && given.pattern === undefined && given.enum === undefined;
  return { ...said, ...given, ...(isOpenText && { pattern: '\\S' }) };
}

/** Requires all of these fields, and none of them blank. */
export const requireAll = (names: readonly string[]): JsonSchema => ({
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: ['string', 'number'], pattern: '\\S' }])),
});

/** Requires at least one of these fields. */
export const requireAny = (...names: readonly string[]): JsonSchema => ({ anyOf: names.map((name) => requireAll([name])) });

/** The keywords of JSON schema that the contract uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
};

export function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return schema as Schema;
}

/** Returns the schema and all parts of its `allOf`. */
export const allOfParts = (schema: Schema): readonly Schema[] => [schema, ...(schema.allOf ?? []).flatMap(allOfParts)];
