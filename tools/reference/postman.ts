/** Generates docs/tools/leadgate.postman_collection.json from the OpenAPI document: a Postman collection of every route. */
import { colonPath } from '../../src/contract/endpoint';
import { resolve } from './docs-schema';
import type { Document, Operation, Parameter } from './openapi-types';

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

type Named = { readonly key: string; readonly value: string; readonly description?: string; readonly disabled?: boolean };

const text = (value: unknown): string => (value === undefined ? '' : String(value));

function urlOf(path: string, parameters: readonly Parameter[]) {
  const query = parameters.flatMap(({ in: place, name, required, example, description }): Named[] =>
    place === 'query' ? [{ key: name, value: text(example), description, ...(!required && { disabled: true }) }] : [],
  );
  const variable = parameters.flatMap(({ in: place, name, example, description }): Named[] =>
    place === 'path' ? [{ key: name, value: example === undefined ? `{{${name}}}` : text(example), description }] : [],
  );
  const segments = colonPath(path).slice(1).split('/');
  const asked = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  return {
    raw: `{{baseUrl}}/${segments.join('/')}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: segments,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  };
}

/** Postman generates a new `{{$guid}}` for every request. To repeat a lead, users replace it by a fixed key. */
const headerValues: Readonly<Record<string, string>> = { 'Idempotency-Key': '{{$guid}}', Prefer: 'respond-async', 'X-Dry-Run': 'true' };
const isSent = (name: string) => name === 'Idempotency-Key';

function itemOf(
  document: Document,
  path: string,
  method: string,
  { operationId, summary, parameters, requestBody, security, responses }: Operation,
) {
  const known = parameters.map((one) => resolve<Parameter>(document, one));
  const [type = '', { example: body = {} } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const raw = typeof body === 'string' ? { raw: body } : { raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } };
  const header = known.flatMap(({ in: place, name, description }): Named[] => {
    const value = headerValues[name];
    return place === 'header' && value ? [{ key: name, value, description, ...(!isSent(name) && { disabled: true }) }] : [];
  });
  const request = {
    method: method.toUpperCase(),
    header: [...(requestBody ? [{ key: 'Content-Type', value: type }] : []), ...header],
    url: urlOf(path, known),
    ...(requestBody && { body: { mode: 'raw', ...raw } }),
    ...(security?.length === 0 && { auth: { type: 'noauth' } }),
  };
  const good = resolve(document, responses['200'] ?? { description: '' }).content?.['application/json'];
  const answer = good?.example ?? good?.examples?.done?.value;
  return {
    name: summary,
    id: operationId,
    request,
    response:
      answer === undefined
        ? []
        : [
            {
              name: 'Success',
              originalRequest: request,
              status: 'OK',
              code: 200,
              _postman_previewlanguage: 'json',
              header: [{ key: 'Content-Type', value: 'application/json' }],
              body: JSON.stringify(answer, null, 2),
            },
          ],
  };
}

const variables = {
  baseUrl: 'http://127.0.0.1:8080',
  gatewayKey: '',
  leadId: 'no-lead-yet',
  redriveId: 'no-redrive-yet',
  decisionId: 'no-decision-yet',
  resendId: 'no-resend-yet',
  eventId: 'no-event-yet',
};

/** A script that stores the id of the lead or bulk order in an answer, for use in the next request. */
const storeIds = [
  "const answer = pm.response.headers.get('Content-Type')?.includes('json') ? pm.response.json() : {};",
  "const leadId = pm.response.headers.get('X-Lead-Id');",
  "if (leadId) pm.collectionVariables.set('leadId', leadId);",
  "for (const name of ['redriveId', 'decisionId', 'resendId', 'eventId']) if (answer[name]) pm.collectionVariables.set(name, answer[name]);",
];

export function postmanCollection(document: Document): string {
  const items = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ tags: operation.tags, item: itemOf(document, path, method, operation) })),
  );
  const collection = {
    info: { name: document.info.title, description: document.info.description, schema },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'x-gateway-key', type: 'string' },
        { key: 'value', value: '{{gatewayKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: storeIds } }],
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: document.tags.map(({ name }) => ({ name, item: items.filter(({ tags }) => tags.includes(name)).map(({ item }) => item) })),
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
}
