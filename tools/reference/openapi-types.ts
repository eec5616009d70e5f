/** Defines the types of OpenAPI 3.1 that the reference uses. */
import type { Schema } from '../../src/contract/json-schema';

export type Ref = { readonly $ref: string };

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown; readonly examples?: Examples }>>;

export type Header = { readonly description: string; readonly schema: Schema };

export type Answer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Content;
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly (Parameter | Ref)[];
  readonly requestBody?: { readonly required: true; readonly description?: string; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Ref>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
};

export type Document = {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** What the service sends to a receiver. */
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
};
