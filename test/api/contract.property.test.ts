/**
 * Every operation of the document, asked what the document allows and what it does not: the answer is one that it promises.
 * The seed is printed with a failure; the long run of the same is `npm run proofs -- contract`.
 */
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import type { Schema } from '../../src/contract/json-schema';
import { resolve } from '../../tools/reference/docs-schema';
import { openApi } from '../../tools/reference/openapi';
import type { Answer, Operation, Parameter } from '../../tools/reference/openapi-types';
import { changed, whole } from '../support/from-schema';
import { startGateway, type GatewayAnswer, type Gateway } from '../support/gateway';
import { ownNamespace } from '../support/namespace';

const document = openApi('1.2.3');
/** Answers keep what their formats say; of requests a format is a hint, and the pattern beside it the rule. */
const answersBy = addFormats(new Ajv2020({ strict: false, allErrors: true }));
const requestsBy = new Ajv2020({ strict: false, validateFormats: false });

const compiled = new Map<string, ValidateFunction>();

/** What the document says of an answer; undefined where it has none of this status. */
function documented({ operation }: Asked, status: number, type: string): ValidateFunction | undefined {
  const answer = operation.responses[status];
  if (!answer) return undefined;
  const name = '$ref' in answer ? answer.$ref : `${operation.operationId} ${status} ${type}`;
  const check = compiled.get(name) ?? answersBy.compile(whole(document, resolve<Answer>(document, answer).content?.[type]?.schema));
  compiled.set(name, check);
  return check;
}

/** Fields with a rule that no pattern can state, such as a day that is real and past, or a site that is known. */
const beyondSchema = [
  'dob',
  'date_of_birth',
  'dueDate',
  'since',
  'until',
  'phone',
  'phone_number',
  'homePhone',
  'workPhone',
  'site',
  'instance',
  'location',
  'cursor',
  'photoUpload',
  'patient_photo_url',
  'email',
];

let gateway: Gateway;
beforeAll(async () => {
  const TEMPORAL_NAMESPACE = await ownNamespace(`contract-${process.pid}`);
  // A longer call is answered as under way; the reference has that answer, too.
  const settings = { TEMPORAL_NAMESPACE, TASKBOARD_CLONE_POLL_MS: '5', SYNC_WAIT_MS: '3000' };
  gateway = await startGateway({ sandbox: { copyDelayMs: 5 }, settings });
});
afterAll(() => gateway.stop());

const lineType = 'application/x-ndjson';
const csvType = 'text/csv';

const isService = ({ tags }: Operation) => tags.includes('Service');
const asked = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => (isService(operation) ? [] : [{ path, method, operation }])),
);
type Asked = (typeof asked)[number];

const parametersOf = ({ operation }: Asked) => operation.parameters.map((one) => resolve<Parameter>(document, one));
const jsonOf = ({ operation }: Asked) => operation.requestBody?.content['application/json'];
const fileOf = ({ operation }: Asked) => operation.requestBody?.content['text/csv']?.example;

/** What stands in the place of each path parameter: mostly something that is there. */
const things: Readonly<Record<string, string>> = { siteName: 'Boca Raton Clinical Research', leadId: 'k00000000000000000000-0000000000' };
const ids: Readonly<Record<string, string>> = { projects: 'project-template', todos: 'card-consent' };

const filled = ({ path }: Asked) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(things[name] ?? ids[path.split('/')[3] ?? ''] ?? 'x'));

/** How this operation is asked, made from its part of the document. */
function requests(one: Asked): fc.Arbitrary<{ readonly values: Record<string, unknown>; readonly headers: Record<string, string> }> {
  const query = parametersOf(one).filter(({ in: place }) => place === 'query');
  const body = jsonOf(one);
  const fields: Record<string, Schema> = body
    ? { ...body.schema.properties }
    : Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  const example = body
    ? ((body.example ?? {}) as Record<string, unknown>)
    : Object.fromEntries(query.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])));
  const headers = fc.constantFrom<Record<string, string>>({}, { prefer: 'respond-async' }, { 'x-request-id': 'asked' });
  return fc.record({ values: changed(document, example, fields, !body), headers });
}

async function ask(
  one: Asked,
  values: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<GatewayAnswer & { text: string }> {
  const query = jsonOf(one)
    ? ''
    : `?${new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, String(value ?? '')])).toString()}`;
  const response = await fetch(`${gateway.url}${filled(one)}${query}`, {
    method: one.method.toUpperCase(),
    headers: { ...headers, ...(one.operation.requestBody && { 'content-type': jsonOf(one) ? 'application/json' : 'text/csv' }) },
    body: jsonOf(one) ? JSON.stringify(values) : (fileOf(one) as string | undefined),
  });
  const text = await response.text();
  const isLines = response.headers.get('content-type')?.startsWith(lineType);
  const isCsv = response.headers.get('content-type')?.startsWith(csvType);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isCsv ? text : JSON.parse(isLines ? `[${text.trim().replaceAll('\n', ',')}]` : text),
  };
}

const details = ({ body }: GatewayAnswer): string[] =>
  (body.error?.details ?? []).map(({ field }: { field: string }) => field.split('.')[0]);

/** Whether the document allows what is sent; parameters of a query are asked one by one, as text. */
function allowed(one: Asked): (values: Record<string, unknown>) => boolean {
  const body = jsonOf(one);
  if (body) return requestsBy.compile(whole(document, body.schema));
  const checks = parametersOf(one)
    .filter(({ in: place }) => place === 'query')
    .map(({ name, schema, required }) => ({ name, required, fits: requestsBy.compile(whole(document, schema)) }));
  return (values) => checks.every(({ name, required, fits }) => (name in values ? fits(String(values[name] ?? '')) : !required));
}

/** The fields of a redrive are those of the lead's route, so an unknown lead is refused before them. */
const refusals = ({ operation }: Asked): number[] => (operation.operationId === 'redriveLead' ? [400, 404] : [400]);

it.concurrent.each(asked.map((one) => [one.operation.operationId, one] as const))('%s answers as the document says', async (_name, one) => {
  const isAllowed = allowed(one);
  await fc.assert(
    fc.asyncProperty(requests(one), async ({ values, headers }) => {
      const answer = await ask(one, values, headers);
      const type = Array.isArray(answer.body) ? lineType : typeof answer.body === 'string' ? csvType : 'application/json';
      const fits = documented(one, answer.status, type);
      if (!fits) throw new Error(`${answer.status} is not documented: ${answer.text}`);
      if (![answer.body].flat().every((line) => fits(line)))
        throw new Error(`${answer.status} is not as documented: ${answersBy.errorsText(fits.errors)}: ${answer.text}`);
      // An upstream that is late on a busy machine is documented; a failure of our own is what this looks for.
      expect(answer.status).not.toBe(500);
      expect(answer.text).not.toMatch(/\n? {2,}at |node_modules|\.[jt]s:\d/);
      expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      if (!isAllowed(values)) expect(refusals(one)).toContain(answer.status);
      else if (answer.status === 400) expect(details(answer).filter((field) => !fileOf(one) && !beyondSchema.includes(field))).toEqual([]);
    }),
    { numRuns: 4, endOnFailure: true },
  );
});
