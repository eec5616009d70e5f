/** The answers of an endpoint besides its success: the errors that its row names, the headers and the schemas. */
import type { Endpoint } from '../../src/contract/endpoint';
import { bodyErrors, errorCodes, everyRouteErrors } from '../../src/contract/errors';
import { absentSchema, type Schema } from '../../src/contract/json-schema';
import { states, type ErrorCode } from '../../src/domain/lead';
import { errorExample, type Kind } from './answers';
import type { Answer, Content, Examples, Header, Ref } from './openapi-types';

export const hasBody = ({ method }: Endpoint): boolean => method !== 'get';
/** Takes an Idempotency-Key: such a route refuses one that came with another body. */
export const isRepeatable = ({ errors }: Endpoint): boolean => errors.includes('IDEMPOTENCY_KEY_REUSED');
/** Starts a run, and tells its workflow id. */
const startsRun = ({ carried, accepted }: Endpoint): boolean => carried !== 'here' || accepted !== undefined;
const needsUpstream = ({ uses }: Endpoint): boolean => (uses?.({}) ?? []).length > 0;

const codes = Object.keys(errorCodes) as ErrorCode[];

const errorSchema: Schema = {
  type: 'object',
  required: ['success', 'message', 'error'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'what went wrong, for a person; never a value that was sent' },
    error: {
      type: 'object',
      required: ['code', 'retryable'],
      properties: {
        code: { type: 'string', enum: codes },
        step: { type: 'string', description: 'the step of a flow that failed' },
        upstreamStatus: { type: 'integer', description: 'the HTTP status with which the upstream refused' },
        retryable: { type: 'boolean', description: 'whether sending the same again is safe and may help' },
        details: {
          type: 'array',
          description: 'every field that is wrong, at once; in a refusal the sent fields that the upstream names',
          items: { type: 'object', required: ['field', 'message'], properties: { field: { type: 'string' }, message: { type: 'string' } } },
        },
      },
    },
    leadId: { type: 'string', description: 'where a lead was accepted' },
    state: { type: 'string', enum: states },
    projectId: { type: 'string', description: 'the project that was made, where it could not be named or described as asked' },
    record: { type: 'object', description: 'how far a flow got, without its key' },
  },
  // The error context: a forwarder's payload and the upstream's answer, or the users to choose from.
  additionalProperties: true,
};

const pendingSchema: Schema = {
  type: 'object',
  required: ['success', 'pending', 'state', 'message', 'leadId', 'statusUrl'],
  properties: {
    success: { const: false },
    pending: { const: true },
    state: { type: 'string', enum: states },
    message: { type: 'string' },
    leadId: { type: 'string' },
    statusUrl: { type: 'string', description: 'where the lead is read' },
  },
};

const dryRunSchema: Schema = {
  type: 'object',
  description: 'with X-Dry-Run: true',
  required: ['success', 'dryRun', 'message', 'payload'],
  properties: {
    success: { const: true },
    dryRun: { const: true },
    message: { type: 'string' },
    payload: { type: ['object', 'null'], description: 'what would be sent; null where nothing would be' },
  },
  additionalProperties: true,
};

export const schemas = { Absent: absentSchema, Error: errorSchema, Pending: pendingSchema, DryRun: dryRunSchema };

const header = (description: string, type = 'string'): Header => ({ description, schema: { type } });

export const headers = {
  'X-Request-Id': header('names this request: yours where you sent one of 1 to 128 visible ASCII characters'),
  'X-Log-Id': header('names this request in the log, always by an id of our own'),
  'X-Lead-Id': header('the lead, where one was accepted'),
  'X-Workflow-Id': header('the run in Temporal, where one was started'),
  'Idempotency-Replayed': header('true: this Idempotency-Key was here before, and this is its one answer'),
  'X-Leadgate-Sandbox': header('true: a simulator stands in for an upstream that is not configured'),
  'Retry-After': header('seconds to wait before sending again', 'integer'),
  Location: header('where the lead, or the redrive, is read'),
  Allow: header('the methods that the path takes'),
} as const;

export type HeaderName = keyof typeof headers;

export const headerRefs = (names: readonly HeaderName[]): Readonly<Record<string, Ref>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const json = (schema: Schema, example?: unknown): Content => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

export const jsonWith = (schema: Schema, examples: Examples): Content => ({ 'application/json': { schema, examples } });

export const schemaRef = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Codes that are possible after a run was started. */
const afterStart: readonly ErrorCode[] = [
  'UPSTREAM_REJECTED',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_PAUSED',
  'OUTCOME_UNKNOWN',
  'UPSTREAM_TIMEOUT',
];
const waits: readonly ErrorCode[] = ['RATE_LIMITED', 'NOT_ACCEPTED'];

/** The name of a shared answer. Rows with the same codes share one, unless some examples belong to their kind alone. */
export const failureName = (found: readonly ErrorCode[], kind: Kind): string =>
  [...found, ...(found.some((code) => errorExample(code, kind).isOwn) ? [kind] : [])].join('.');

const errorExamples = (found: readonly ErrorCode[], kind: Kind): Examples =>
  Object.fromEntries(found.map((code) => [code, { summary: errorCodes[code].advice, value: errorExample(code, kind).body }]));

export function failure(found: readonly ErrorCode[], kind: Kind): Answer {
  const any = (some: readonly ErrorCode[]) => found.some((code) => some.includes(code));
  return {
    description: found.map((code) => `${code}: ${errorCodes[code].advice}`).join(' '),
    headers: headerRefs([
      'X-Request-Id',
      'X-Log-Id',
      ...(any(afterStart) ? (['X-Lead-Id', 'X-Workflow-Id'] as const) : []),
      ...(any(waits) ? (['Retry-After'] as const) : []),
      ...(any(['METHOD_NOT_ALLOWED']) ? (['Allow'] as const) : []),
    ]),
    content: jsonWith(
      {
        allOf: [
          schemaRef('Error'),
          { type: 'object', properties: { error: { type: 'object', properties: { code: { type: 'string', enum: found } } } } },
        ],
      },
      errorExamples(found, kind),
    ),
  };
}

/** Status → the codes that this route can answer with it. */
export function failuresOf(endpoint: Endpoint): ReadonlyMap<number, readonly ErrorCode[]> {
  const given: readonly ErrorCode[] = [...everyRouteErrors, ...(hasBody(endpoint) ? bodyErrors : []), ...endpoint.errors];
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes.filter((each) => given.includes(each)))
    found.set(errorCodes[code].status, [...(found.get(errorCodes[code].status) ?? []), code]);
  return found;
}

/** The headers of a route's answers; `pending` adds Location. */
export const answerHeaders = (endpoint: Endpoint, pending = false): Readonly<Record<string, Ref>> =>
  headerRefs([
    'X-Request-Id',
    'X-Log-Id',
    ...(endpoint.carried === 'lead' ? (['X-Lead-Id'] as const) : []),
    ...(startsRun(endpoint) ? (['X-Workflow-Id'] as const) : []),
    ...(isRepeatable(endpoint) ? (['Idempotency-Replayed'] as const) : []),
    ...(needsUpstream(endpoint) || endpoint.tellsSandbox ? (['X-Leadgate-Sandbox'] as const) : []),
    ...(pending ? (['Location'] as const) : []),
  ]);
