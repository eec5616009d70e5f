/** Converts the contract to OpenAPI 3.1. Everything about a single route comes from its row. */
import { z } from 'zod';
import { endpointTable } from '../../src/contract';
import { isRepeatable, pathNames, type Endpoint } from '../../src/contract/endpoint';
import { schemaOf, type Schema } from '../../src/contract/json-schema';
import { eventMessage } from '../../src/contract/events';
import { group as eventGroup, longestWaitS } from '../../src/contract/leads';
import { eventTypes, type EventType } from '../../src/domain/events';
import type { ErrorCode } from '../../src/domain/lead';
import { answers, kindOf, type RowKind } from './answers';
import {
  answerHeaders,
  failure,
  failureName,
  failuresOf,
  hasBody,
  headerRefs,
  headers,
  json,
  jsonWith,
  schemaRef,
  schemas,
} from './openapi-answers';
import { ownPaths, type OwnPath } from './openapi-own';
import type { Answer, Content, Document, Operation, Parameter, Ref } from './openapi-types';

const asHeader = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const parameters = {
  RequestId: asHeader('X-Request-Id', 'your id for this request; the answer returns it, and the log does not contain it'),
  IdempotencyKey: asHeader(
    'Idempotency-Key',
    'a repeat with the same key and body returns the original answer; the same key with another body is rejected. Kept for IDEMPOTENCY_WINDOW_H hours (72). "abc" and abc are one key',
    {
      type: 'string',
      pattern: '^[\\x21-\\x7e]{1,255}$',
    },
  ),
  Prefer: asHeader('Prefer', 'respond-async: answer 202 immediately; wait=N: wait up to N seconds (at most 60) for the end', {
    type: 'string',
    enum: ['', 'respond-async', ...Array.from({ length: longestWaitS + 1 }, (_, seconds) => `wait=${seconds}`)],
  }),
  DryRun: asHeader('X-Dry-Run', 'true: validate and prepare the lead, return what would be sent, and send nothing', {
    type: 'string',
    enum: ['true', 'false'],
  }),
  CallbackUrl: asHeader('X-Callback-URL', "an additional receiver for the lead's events; its host must be in EVENTS_HOSTS", {
    type: 'string',
    format: 'uri',
  }),
} as const;

const parameterRef = (name: keyof typeof parameters): Ref => ({ $ref: `#/components/parameters/${name}` });

function parametersOf(endpoint: Endpoint, { properties = {}, required = [] }: Schema): readonly (Parameter | Ref)[] {
  const { path, method, handledBy, upload, example } = endpoint;
  const ofPath = pathNames(path);
  const fields = Object.entries(properties).map(([name, { description, ...schema }]): Parameter => {
    const isPath = ofPath.includes(name);
    return {
      name,
      in: isPath ? 'path' : 'query',
      required: isPath || required.includes(name),
      ...(description !== undefined && { description }),
      schema,
      ...(example && name in example && { example: example[name] }),
    };
  });
  return [
    ...fields.filter((field) => method === 'get' || upload || field.in === 'path'),
    parameterRef('RequestId'),
    ...(isRepeatable(endpoint) ? [parameterRef('IdempotencyKey')] : []),
    ...(handledBy === 'lead' ? [parameterRef('Prefer'), parameterRef('DryRun'), parameterRef('CallbackUrl')] : []),
  ];
}

/** Lists the rules about several fields, by validating a body that has only the path parameters. */
function conditions({ path, input }: Endpoint, { required = [] }: Schema): string[] {
  const given = Object.fromEntries(pathNames(path).map((name) => [name, 'x']));
  const issues = input.safeParse(given).error?.issues ?? [];
  return issues.flatMap((issue) => (required.includes(String(issue.path[0])) ? [] : [`${issue.path.join('.')}: ${issue.message}`]));
}

/** Returns the example body of a row, unless the row would reject it. */
function exampleOf({ path, input, example }: Endpoint): unknown {
  const ofPath = pathNames(path);
  const given = Object.fromEntries(ofPath.map((name) => [name, 'x']));
  if (!example || !input.safeParse({ ...given, ...example }).success) return undefined;
  return Object.fromEntries(Object.entries(example).filter(([name]) => !ofPath.includes(name)));
}

function requestBody(endpoint: Endpoint, schema: Schema): Pick<Operation, 'requestBody'> {
  if (!hasBody(endpoint)) return {};
  const { path, upload } = endpoint;
  if (upload) {
    const { type, description, example } = upload;
    return { requestBody: { required: true, description, content: { [type]: { schema: { type: 'string' }, example } } } };
  }
  const ofPath = pathNames(path);
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !ofPath.includes(name)));
  const required = schema.required?.filter((name) => !ofPath.includes(name)) ?? [];
  const together = conditions(endpoint, schema);
  return {
    requestBody: {
      required: true,
      ...(together.length > 0 && { description: together.join('. ') }),
      content: json({ ...schema, properties, required: required.length > 0 ? required : undefined }, exampleOf(endpoint)),
    },
  };
}

/** The answers that routes share, by name. */
type Shared = Map<string, Answer>;

function failures(found: ReadonlyMap<number, readonly ErrorCode[]>, kind: RowKind, shared: Shared): Record<string, Ref> {
  const refs = [...found].map(([status, codes]): [number, Ref] => {
    const name = failureName(codes, kind);
    shared.set(name, failure(codes, kind));
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(refs);
}

/** Builds the successful answer; that of a lead route includes its dry run. */
const success = (name: string, answer: Schema, isLead: boolean): Content =>
  isLead
    ? jsonWith(
        { anyOf: [answer, schemaRef('DryRun')] },
        { done: { value: answers.success[name] }, 'dry run': { summary: 'with X-Dry-Run: true', value: answers.dryRun[name] } },
      )
    : json(answer, answers.success[name]);

function operationOf(name: string, endpoint: Endpoint, shared: Shared): Operation {
  const { group, summary, input, output, lines, download, accepted, unfinished, handledBy } = endpoint;
  const schema = schemaOf(input, 'input');
  const answer = schemaOf(output, 'output');
  const isLead = handledBy === 'lead';
  const byLine = lines && {
    'application/x-ndjson': { schema: { description: 'each line is one of these', ...schemaOf(lines, 'output') } },
  };
  const content = download ? { [download]: { schema: answer, example: answers.success[name] } } : success(name, answer, isLead);
  return {
    operationId: name,
    tags: [group],
    summary,
    parameters: parametersOf(endpoint, schema),
    ...requestBody(endpoint, schema),
    responses: {
      200: { description: 'Success', headers: answerHeaders(endpoint), content: { ...content, ...byLine } },
      ...(isLead && {
        202: {
          description: 'Accepted and in progress',
          headers: answerHeaders(endpoint, true),
          content: json(schemaRef('Pending'), answers.pending.lead),
        },
      }),
      ...(accepted && {
        202: {
          description: 'Accepted and in progress',
          headers: answerHeaders(endpoint, true),
          content: json(schemaOf(accepted, 'output'), answers.accepted[name]),
        },
      }),
      ...(unfinished && {
        202: {
          description: 'Still in progress; send the same request again to get its progress',
          headers: answerHeaders(endpoint),
          content: json(schemaOf(unfinished, 'output'), answers.accepted[name]),
        },
      }),
      ...failures(failuresOf(endpoint), kindOf(endpoint), shared),
    },
  };
}

const ownGroup = 'Service';

const ownOperation = ({ name, summary, type, schema, example, codes, open }: OwnPath, shared: Shared): Operation => ({
  operationId: name,
  tags: [ownGroup],
  summary,
  parameters: [parameterRef('RequestId')],
  responses: {
    200: {
      description: 'Success',
      headers: headerRefs(['X-Request-Id', 'X-Log-Id']),
      content: { [type]: { schema, ...(example !== undefined && { example }) } },
    },
    ...failures(new Map(codes), 'api', shared),
  },
  ...(open && { security: [] }),
});

const webhookHeaders = [
  ['webhook-id', 'the id of the event, the same at every try: process each id once'],
  ['webhook-timestamp', 'the time of this try, in seconds since 1970'],
  ['webhook-signature', 'the signatures by Standard Webhooks: one for each secret of EVENTS_WEBHOOK_SECRET, with a space between them'],
] as const;

/** Describes the POST of an event to its receivers. */
const eventOperation = (type: EventType): Operation => ({
  operationId: type.replace('lead.', 'leadIs-'),
  tags: [eventGroup],
  summary: `A lead is ${type.replace('lead.', '')}`,
  parameters: webhookHeaders.map(([name, words]) => ({ ...asHeader(name, words), required: true })),
  requestBody: { required: true, content: json(schemaOf(eventMessage.extend({ type: z.literal(type) }), 'output')) },
  responses: { '2XX': { description: 'Received. After any other answer, Leadgate sends the event again' } },
  security: [],
});

const description = [
  'A durable gateway for clinical-trial leads and task-board calls.',
  'An unknown path returns 404 NOT_FOUND, and an unsupported method 405 METHOD_NOT_ALLOWED with the header Allow.',
  'Null and blank text count as absent. Unknown fields are ignored; the flows of the site system keep them in the record.',
].join(' ');

const keyWords =
  'A key of GATEWAY_API_KEYS. Its scopes: send, to send leads and read its own; leads, to send leads and read all, those of other keys masked; board, to use the task board; operator, to read leads, to act on them, and to erase people.';

export function openApi(version: string): Document {
  const shared: Shared = new Map([['METHOD_NOT_ALLOWED', failure(['METHOD_NOT_ALLOWED'], 'api')]]);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, endpoint] of endpointTable)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operationOf(name, endpoint, shared) };
  for (const own of ownPaths) paths[own.path] = { get: ownOperation(own, shared) };
  const groups = [...new Set(endpointTable.map(([, { group }]) => group)), ownGroup];
  return {
    openapi: '3.1.0',
    info: { title: 'Leadgate', version, description },
    servers: [
      { url: '/', description: 'the server of this document' },
      { url: 'http://127.0.0.1:8080', description: 'the default of npm start' },
    ],
    tags: groups.map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: eventOperation(type) }])),
    components: {
      schemas,
      parameters,
      headers,
      responses: Object.fromEntries(shared),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: keyWords },
        gatewayKey: { type: 'apiKey', in: 'header', name: 'x-gateway-key', description: keyWords },
      },
    },
    security: [{}, { bearer: [] }, { gatewayKey: [] }],
  };
}
