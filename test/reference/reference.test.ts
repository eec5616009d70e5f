/** The reference: its document, its pages and its examples. */
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../src/config/config';
import { endpointTable } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { answers, handwrittenMessages } from '../../tools/reference/answers';
import { baseOf, createDocs } from '../../tools/reference/docs';
import { signInPage } from '../../tools/reference/docs-frame';
import { resolve } from '../../tools/reference/docs-schema';
import { openApi } from '../../tools/reference/openapi';
import type { Answer, Operation, Parameter } from '../../tools/reference/openapi-types';
import { reference } from '../../tools/reference/written-files';
import { whole } from '../support/from-schema';

describe('document', () => {
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

  it('docs/openapi.json is up to date; otherwise run npm run reference', () => {
    const path = 'docs/openapi.json';
    expect(readFileSync(join(projectDir, path), 'utf8') === reference()[path]).toBe(true);
  });

  describe('the document', () => {
    it('has every row of the contract, by its name', () => {
      expect(rows.map(({ operation }) => operation?.operationId)).toEqual(endpointTable.map(([name]) => name));
      expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    });

    it('has the paths of the service itself', () =>
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/health/live', '/health/ready', '/metrics', '/version', '/openapi.json', '/docs']),
      ));

    it('has only valid references', () => {
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

    it('has a body for every route that accepts one, without the path parameters', () => {
      for (const { path, method, operation } of operations) {
        expect([path, method, operation.requestBody !== undefined]).toEqual([path, method, method !== 'get']);
        const { properties = {}, required = [] } = operation.requestBody?.content['application/json']?.schema ?? {};
        expect(Object.keys(properties).filter((name) => path.includes(`{${name}}`))).toEqual([]);
        expect(required.filter((name) => !(name in properties))).toEqual([]);
      }
    });

    it.each(rows.filter(({ endpoint }) => endpoint.handledBy === 'lead').map(({ name, operation }) => [name, operation] as const))(
      'says of the lead route %s that it may answer 202, and what it takes',
      (_name, operation) => {
        expect(Object.keys(operation?.responses['202'] ?? {})).toContain('content');
        expect(namesIn(operation, 'header')).toEqual(['X-Request-Id', 'Idempotency-Key', 'Prefer', 'X-Dry-Run', 'X-Callback-URL']);
      },
    );

    it('lists the statuses of each kind of route', () => {
      expect(statuses('noPrescreen')).toEqual([200, 202, 400, 401, 403, 409, 413, 415, 422, 429, 500, 502, 503]);
      expect(statuses('listTodos')).toEqual([200, 400, 401, 403, 404, 422, 429, 500, 502, 503, 504]);
      expect(statuses('assignTodo')).toContain(409);
      expect(statuses('getLead')).toEqual([200, 400, 401, 403, 404, 429, 500, 503]);
      expect(statuses('startRedrive')).toEqual([200, 202, 400, 401, 403, 409, 413, 415, 422, 429, 500, 502, 503]);
      expect(statuses('getRedrive')).toEqual([200, 400, 401, 403, 404, 429, 500, 503]);
      expect(statuses('discardLead')).toEqual([200, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503]);
    });

    it('lists no status on a lead route that tools retry after the lead may have been sent', () => {
      for (const { endpoint, operation } of rows.filter(({ endpoint }) => endpoint.handledBy === 'lead'))
        expect([endpoint.path, operation && '504' in operation.responses]).toEqual([endpoint.path, false]);
    });

    it('has advice for every error code', () => {
      const text = JSON.stringify(document.components.responses);
      expect(
        Object.entries(errorCodes).filter(([code, { advice }]) => !text.includes(`${code}: ${advice.replaceAll('"', '\\"')}`)),
      ).toEqual([]);
    });

    it('describes the rules about several fields', () =>
      expect(document.paths['/api/recruit/send-to-recruit']?.post?.requestBody?.description).toBe(
        'email: an e-mail or a phone is required',
      ));

    it('describes every field, and has an example of every body', () => {
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

    it('requires no key for health', () => {
      expect(document.paths['/health/live']?.get?.security).toEqual([]);
      expect(document.paths['/metrics']?.get?.security).toBeUndefined();
    });
  });
});

describe('pages', () => {
  const document = openApi('1.2.3');
  const base = 'http://127.0.0.1:8080';
  const docs = createDocs(document, false);
  const pages = new Map(docs.slugs.map((slug) => [slug, docs.page(slug, base) ?? '']));
  /** Names may break at <wbr>, which is no part of them. */
  const html = [...pages.values()].join('').replaceAll('<wbr>', '');
  const idsOf = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  const pageOf = (slug: string) => pages.get(slug) ?? '';

  describe('the reference', () => {
    it.each(endpointTable.map(([name, { method, path, summary }]) => [name, method, path, summary]))(
      'shows %s',
      (name, _method, path, summary) => {
        expect(html).toContain(`<article id="${name}"`);
        expect(html).toContain(`href="#${name}"`);
        expect(html).toContain(`<code>${path}</code>`);
        expect(html).toContain(summary.replaceAll("'", '&#39;').replaceAll('"', '&quot;'));
      },
    );

    it('has a page for each group', () => {
      const groups = [
        'task-board',
        'recruitment-system',
        'lead-forms',
        'screening-platform',
        'site-system',
        'leads',
        'operators',
        'service',
      ];
      expect(docs.slugs).toEqual(['', 'errors', ...groups]);
      expect(docs.page('nowhere', base)).toBeUndefined();
      expect(pageOf('lead-forms')).toContain('<article id="sendToLeadforms"');
      expect(pageOf('lead-forms')).not.toContain('<article id="sendToRecruit"');
    });

    it('has advice for every error code', () => {
      for (const [code, { advice }] of Object.entries(errorCodes))
        expect(html).toMatch(new RegExp(`<code>${code}</code>.*${advice.slice(0, 20)}`));
    });

    it('shows an example of each success and each error', () => {
      const shown = (body: unknown) =>
        (typeof body === 'string' ? body : JSON.stringify(body, null, 2))
          .replaceAll('&', '&amp;')
          .replaceAll("'", '&#39;')
          .replaceAll('"', '&quot;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;');
      const bodies = Object.values(answers).flatMap((each) => Object.values(each));
      expect(bodies.length).toBeGreaterThan(80);
      expect(bodies.filter((body) => !html.includes(shown(body)))).toEqual([]);
    });

    it('shows an example of each error at its route', () => {
      const [, recruit = ''] = pageOf('recruitment-system').split('<article id="sendToRecruit"');
      for (const code of ['VALIDATION_ERROR', 'UPSTREAM_REJECTED', 'OUTCOME_UNKNOWN'])
        expect(recruit).toContain(`&quot;code&quot;: &quot;${code}&quot;`);
    });

    it('loads nothing from another host, and has no inline script or style', () => {
      for (const page of [...pages.values(), signInPage]) {
        expect(page).not.toMatch(
          /<script(?! type="module" src="\/console\/docs.js">)|<img|<iframe|@import|url\(|javascript:| on[a-z]+=|<style|\sstyle=/i,
        );
        const addresses = [...page.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, address = '']) => address);
        expect(addresses.filter((address) => !/^(data:,$|\/(docs|console|openapi\.json))/.test(address))).toEqual([]);
      }
    });

    it('has only valid links and unique ids', () => {
      for (const [slug, page] of pages) {
        const ids = idsOf(page);
        expect(new Set(ids).size).toBe(ids.length);
        const links = [...page.matchAll(/href="(?:\/docs(?:\/([\w-]+))?)?(?:#([^"]+))?"/g)];
        const dead = links.filter(([link, other, id]) => {
          const target = link.startsWith('href="#') ? page : pages.get(other ?? '');
          return target === undefined || (id !== undefined && !idsOf(target).includes(id));
        });
        expect([slug, dead]).toEqual([slug, []]);
      }
    });

    it('has example requests for the address of the reader', () => {
      const other = docs.page('site-system', 'https://leads.example.org') ?? '';
      expect(other).toContain('curl -s &#39;https://leads.example.org/api/clinicsys/no-prescreen&#39;');
      expect(other).toContain('fetch(&#39;https://leads.example.org/api/clinicsys/no-prescreen&#39;');
      expect(other).not.toContain('127.0.0.1:8080/api');
      expect(other).not.toContain('\0');
    });

    it('has an Idempotency-Key in the example of each lead, in every language', () => {
      const withKey = (id: string) => {
        const [, article = ''] = [...pages.values()].join('').split(`<article id="${id}"`);
        return (article.split('</article>')[0]?.match(/Idempotency-Key(?:: |&#39;: &#39;|&quot;: &quot;)sample-1/g) ?? []).length;
      };
      expect(['noPrescreen', 'sendToRecruit', 'sendPatient'].map(withKey)).toEqual([3, 3, 3]);
      expect(['getSubjects', 'listTodos', 'startRedrive'].map(withKey)).toEqual([0, 0, 0]);
    });

    it('shows a key in example requests only if the service requires one', () => {
      expect(html).not.toContain('YOUR_KEY');
      const withKeys = createDocs(document, true);
      expect(withKeys.page('screening-platform', base)).toContain('-H &#39;Authorization: Bearer YOUR_KEY&#39;');
      expect(
        withKeys
          .page('service', base)
          ?.split('<article')
          .find((each) => each.includes('id="isLive"')),
      ).not.toContain('YOUR_KEY');
    });

    it('has a search for routes, fields, fields of answers and error codes, with valid links', () => {
      const found = (kind: string, name: string) => docs.search.find((each) => each.kind === kind && each.name === name)?.href;
      expect(found('route', 'POST /api/clinicsys/no-prescreen')).toBe('/docs/site-system#noPrescreen');
      expect(found('field', 'ReferrerID')).toBe('/docs/site-system#withPrescreen.ReferrerID');
      expect(found('answer', 'nextProbeAt')).toBe('/docs/leads#listUpstreams');
      expect(found('error', 'OUTCOME_UNKNOWN')).toBe('/docs/errors#OUTCOME_UNKNOWN');
      const dead = docs.search.filter(({ href }) => {
        const [path = '', id = ''] = href.replace(/^\/docs\/?/, '').split('#');
        return !pageOf(path).includes(` id="${id}"`);
      });
      expect(dead).toEqual([]);
    });
  });

  describe('the address of the reader', () => {
    it.each([
      ['http', '127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['https', 'leads.example.org', 'https://leads.example.org'],
      ['http', '[::1]:8080', 'http://[::1]:8080'],
      ['gopher', 'localhost', 'http://localhost'],
    ])('%s %s', (protocol, host, base) => expect(baseOf(protocol, host)).toBe(base));

    it.each([
      undefined,
      '',
      'a b',
      "x'; rm -rf /;'",
      '"><script>alert(1)</script>',
      'x/$(id)',
      'x@y',
      'host:80:80',
      'host\r\nX: y',
      '$&',
      '-x',
      'a'.repeat(300),
    ])('is the usual one when the Host header is %j', (host) => expect(baseOf('http', host)).toBe('http://127.0.0.1:8080'));
  });
});

const document = openApi('1.2.3');
const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }));

const answered = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods).flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, given]) => {
      const name = '$ref' in given ? given.$ref : `${operationId} ${status}`;
      return { name, status, content: resolve<Answer>(document, given).content?.['application/json'] };
    }),
  ),
);
const shown = [...new Map(answered.map((answer) => [answer.name, answer])).values()].flatMap(({ name, status, content }) =>
  content ? [{ name, status, ...content }] : [],
);
/** Named, so that a failure says which. */
const examplesOf = ({ example, examples = {} }: (typeof shown)[number]) =>
  Object.entries(examples)
    .flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value] as const]))
    .concat(example === undefined ? [] : [['', example]]);

describe('examples of answers', () => {
  it('exist for every success and every error code', () => {
    expect(shown.length).toBeGreaterThan(100);
    // The document itself is its own example.
    expect(shown.filter((answer) => examplesOf(answer).length === 0).map(({ name }) => name)).toEqual(['openApi 200']);
    const lacking = shown.flatMap(({ name, schema, examples = {} }) => {
      const codes = (schema.allOf ?? []).flatMap(({ properties }) => properties?.error?.properties?.code?.enum ?? []).map(String);
      return codes
        .filter((code) => (examples[code]?.value as { error?: { code?: string } } | undefined)?.error?.code !== code)
        .map((code) => `${name} ${code}`);
    });
    expect(lacking).toEqual([]);
  });

  it('match their schemas', () => {
    const wrong = shown.flatMap((answer) => {
      const fits = ajv.compile(whole(document, answer.schema));
      return examplesOf(answer).flatMap(([key, value]) => (fits(value) ? [] : [[answer.name, key, ajv.errorsText(fits.errors)]]));
    });
    expect(wrong).toEqual([]);
  });

  it('have a message of the code if they are not recorded', () => {
    const src = join(projectDir, 'src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const code = files.map((file) => readFileSync(join(src, file), 'utf8')).join('\n');
    expect(handwrittenMessages.filter((message) => !code.includes(message))).toEqual([]);
  });
});
