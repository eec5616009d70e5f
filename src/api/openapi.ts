/** The contract's table as OpenAPI 3.1. */
import { z } from 'zod';
import { endpointTable } from '../contract';
import type { Endpoint } from '../contract/endpoint';
import { states, type JsonObject } from '../domain/lead';
import { errorCodes } from './errors';

const schemaOf = (type: z.ZodType, io: 'input' | 'output'): JsonObject => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return schema;
};

const error = {
  type: 'object',
  required: ['success', 'message', 'error'],
  properties: {
    success: { const: false },
    message: { type: 'string' },
    error: {
      type: 'object',
      required: ['code', 'retryable'],
      properties: {
        code: { enum: Object.keys(errorCodes) },
        step: { type: 'string' },
        retryable: { type: 'boolean' },
        details: {
          type: 'array',
          items: { type: 'object', required: ['field', 'message'], properties: { field: { type: 'string' }, message: { type: 'string' } } },
        },
      },
    },
    leadId: { type: 'string' },
    state: { enum: states },
    record: { type: 'object' },
  },
};

const pending = {
  type: 'object',
  required: ['success', 'pending', 'state', 'message', 'leadId', 'statusUrl'],
  properties: {
    success: { const: false },
    pending: { const: true },
    state: { enum: states },
    message: { type: 'string' },
    leadId: { type: 'string' },
    statusUrl: { type: 'string' },
  },
};

const json = (schema: unknown, example?: unknown) => ({ 'application/json': { schema, ...(example !== undefined && { example }) } });

const header = (name: string, description: string) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } });
const repeatHeaders = [header('Idempotency-Key', 'The same key with the same body gives the first answer again')];
const leadHeaders = [
  ...repeatHeaders,
  header('Prefer', 'respond-async, or wait=N: how many seconds to wait for the end'),
  header('X-Dry-Run', 'true: everything but the sending is done'),
];

function parameters({ path, method, carried, input }: Endpoint): unknown[] {
  const schema = schemaOf(input, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const fields = Object.entries(schema.properties ?? {}).map(([name, type]) => {
    const isPath = inPath.includes(name);
    return { name, in: isPath ? 'path' : 'query', required: isPath || (schema.required ?? []).includes(name), schema: type };
  });
  const headers = carried === 'lead' ? leadHeaders : method === 'get' ? [] : repeatHeaders;
  return [...fields.filter((field) => method === 'get' || field.in === 'path'), ...headers];
}

function bodyOf({ path, method, input, example }: Endpoint): JsonObject {
  if (method === 'get') return {};
  const schema = schemaOf(input, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  const inPath = (name: string) => path.includes(`{${name}}`);
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !inPath(name)));
  const required = schema.required?.filter((name) => !inPath(name));
  return { requestBody: { required: true, content: json({ ...schema, properties, required }, example) } };
}

/** Every status that a route can answer beside its success. */
function failures({ carried, path }: Endpoint): readonly number[] {
  const always = [400, 401, 403, 405, 413, 415, 429, 500, 503];
  if (carried === 'here') return [...always, 404, ...(path.endsWith('}') ? [] : [409])];
  return [...always, 422, 502];
}

function operation(name: string, endpoint: Endpoint): JsonObject {
  const { group, summary, output, carried } = endpoint;
  const others = failures(endpoint).map((status) => {
    const codes = Object.entries(errorCodes).filter(([, code]) => code.status === status);
    return [
      status,
      {
        description: codes.map(([code, { advice }]) => `${code}: ${advice}`).join(' '),
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ];
  });
  return {
    operationId: name,
    tags: [group],
    summary,
    parameters: parameters(endpoint),
    ...bodyOf(endpoint),
    responses: {
      200: { description: 'Success', content: json(schemaOf(output, 'output')) },
      ...(carried === 'lead' && {
        202: { description: 'Accepted and still under way', content: json({ $ref: '#/components/schemas/Pending' }) },
      }),
      ...Object.fromEntries(others),
    },
  };
}

export function openApi(version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [name, endpoint] of endpointTable)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(name, endpoint) };
  return {
    openapi: '3.1.0',
    info: { title: 'Leadgate', version, description: 'A durable gateway for clinical-trial leads and task-board calls.' },
    paths,
    components: {
      schemas: { Error: error, Pending: pending },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, gatewayKey: { type: 'apiKey', in: 'header', name: 'x-gateway-key' } },
    },
    security: [{}, { bearer: [] }, { gatewayKey: [] }],
  };
}
