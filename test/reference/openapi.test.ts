import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { endpointTable } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { openApi } from '../../src/reference/openapi';
import type { Operation, Parameter } from '../../src/reference/openapi-types';
import { reference } from '../../src/reference/written-files';

const document = openApi('1.2.3');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const rows = endpointTable.map(([name, endpoint]) => ({ name, endpoint, operation: document.paths[endpoint.path]?.[endpoint.method] }));

/** Every `$ref` of the document. */
function refs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : refs(part)));
}

function target(ref: string): unknown {
  const path = ref.replace('#/', '').split('/');
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
}

const parametersOf = ({ parameters }: Operation) => parameters.map((one) => ('$ref' in one ? target(one.$ref) : one) as Parameter);
const namesIn = (operation: Operation | undefined, place: Parameter['in']) =>
  operation ? parametersOf(operation).flatMap((one) => (one.in === place ? [one.name] : [])) : [];
const bodyOf = (operation: Operation | undefined) => operation?.requestBody?.content['application/json'];
const statuses = (name: string) => Object.keys(rows.find((row) => row.name === name)?.operation?.responses ?? {}).map(Number);

it('docs/openapi.json is what the contract says; when this fails: npm run reference', () => {
  const path = 'docs/openapi.json';
  expect(readFileSync(join(projectDir, path), 'utf8') === reference()[path]).toBe(true);
});

describe('the document', () => {
  it('has every row of the contract, under its name', () => {
    expect(rows.map(({ operation }) => operation?.operationId)).toEqual(endpointTable.map(([name]) => name));
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it('has the paths of the service itself', () =>
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/health/live', '/health/ready', '/metrics', '/version', '/openapi.json', '/docs']),
    ));

  it('refers to nothing that is not there', () => {
    const found = refs(document);
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter((ref) => target(ref) === undefined)).toEqual([]);
  });

  it('has every parameter of every path, required', () => {
    for (const { path, operation } of operations)
      expect(namesIn(operation, 'path').toSorted()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted());
    const optional = operations.flatMap(({ operation }) =>
      parametersOf(operation).filter(({ in: place, required }) => place === 'path' && !required),
    );
    expect(optional).toEqual([]);
  });

  it('has a body where there may be one, without the fields of the path', () => {
    for (const { path, method, operation } of operations) {
      expect([path, method, operation.requestBody !== undefined]).toEqual([path, method, method !== 'get']);
      const { properties = {}, required = [] } = operation.requestBody?.content['application/json']?.schema ?? {};
      expect(Object.keys(properties).filter((name) => path.includes(`{${name}}`))).toEqual([]);
      expect(required.filter((name) => !(name in properties))).toEqual([]);
    }
  });

  it.each(rows.filter(({ endpoint }) => endpoint.carried === 'lead').map(({ name, operation }) => [name, operation] as const))(
    'says of the lead route %s that it may answer 202, and what it takes',
    (_name, operation) => {
      expect(Object.keys(operation?.responses['202'] ?? {})).toContain('content');
      expect(namesIn(operation, 'header')).toEqual(['X-Request-Id', 'Idempotency-Key', 'Prefer', 'X-Dry-Run', 'X-Callback-URL']);
    },
  );

  it('gives each kind of route the statuses that it can answer', () => {
    expect(statuses('noPrescreen')).toEqual([200, 202, 400, 401, 403, 413, 415, 422, 429, 500, 502, 503]);
    expect(statuses('listTodos')).toEqual([200, 400, 401, 403, 404, 422, 429, 500, 502, 503, 504]);
    expect(statuses('assignTodo')).toContain(409);
    expect(statuses('getLead')).toEqual([200, 400, 401, 403, 404, 500, 503]);
    expect(statuses('startRedrive')).toEqual([200, 202, 400, 401, 403, 409, 413, 415, 422, 500, 502, 503]);
    expect(statuses('getRedrive')).toEqual([200, 400, 401, 403, 404, 500, 503]);
    expect(statuses('discardLead')).toEqual([200, 400, 401, 403, 404, 409, 413, 415, 422, 500, 502, 503]);
  });

  it('never offers a lead route a status on which tools send again after the lead may have been sent', () => {
    for (const { endpoint, operation } of rows.filter(({ endpoint }) => endpoint.carried === 'lead'))
      expect([endpoint.path, operation && '504' in operation.responses]).toEqual([endpoint.path, false]);
  });

  it('says what to do about every code that it names', () => {
    const text = JSON.stringify(document.components.responses);
    expect(Object.entries(errorCodes).filter(([code, { advice }]) => !text.includes(`${code}: ${advice.replaceAll('"', '\\"')}`))).toEqual(
      [],
    );
  });

  it('tells what several fields must give together', () =>
    expect(document.paths['/api/recruit/send-to-recruit']?.post?.requestBody?.description).toBe('email: an e-mail or a phone is required'));

  it('says of every field what it is, and shows every body', () => {
    const said = rows.flatMap(({ name, operation }) => [
      ...(operation ? parametersOf(operation) : []).map((one) => [`${name} ${one.name}`, one.description] as const),
      ...Object.entries(bodyOf(operation)?.schema.properties ?? {}).map(
        ([field, { description }]) => [`${name} ${field}`, description] as const,
      ),
    ]);
    expect(said.length).toBeGreaterThan(300);
    expect(said.flatMap(([field, description]) => (description ? [] : [field]))).toEqual([]);
    expect(rows.flatMap(({ name, operation }) => (bodyOf(operation) && bodyOf(operation)?.example === undefined ? [name] : []))).toEqual(
      [],
    );
  });

  it('is valid by the OpenAPI schema itself', async () => {
    const validate =
      'import("@seriousme/openapi-schema-validator").then(async ({ Validator }) => console.log(JSON.stringify(await new Validator().validate(process.argv[1]))))';
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', validate, join(projectDir, 'docs/openapi.json')], {
      cwd: projectDir,
    });
    expect(JSON.parse(stdout)).toEqual({ valid: true });
  });

  it('asks no key for health', () => {
    expect(document.paths['/health/live']?.get?.security).toEqual([]);
    expect(document.paths['/metrics']?.get?.security).toBeUndefined();
  });
});
