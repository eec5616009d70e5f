import { endpointTable } from '../../src/contract';
import { errorCodes } from '../../src/contract/errors';
import { answers } from '../../src/reference/answers';
import { baseOf, createDocs } from '../../src/reference/docs';
import { signInPage } from '../../src/reference/docs-frame';
import { openApi } from '../../src/reference/openapi';

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
    const groups = ['task-board', 'recruitment-system', 'lead-forms', 'screening-platform', 'site-system', 'leads', 'operators', 'service'];
    expect(docs.slugs).toEqual(['', 'errors', ...groups]);
    expect(docs.page('nowhere', base)).toBeUndefined();
    expect(pageOf('lead-forms')).toContain('<article id="sendToLeadforms"');
    expect(pageOf('lead-forms')).not.toContain('<article id="sendToRecruit"');
  });

  it('says of every code what to do', () => {
    for (const [code, { advice }] of Object.entries(errorCodes))
      expect(html).toMatch(new RegExp(`<code>${code}</code>.*${advice.slice(0, 20)}`));
  });

  it('shows an answer of each success and of each error', () => {
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

  it('asks no other host, and has no script or style in its pages', () => {
    for (const page of [...pages.values(), signInPage]) {
      expect(page).not.toMatch(
        /<script(?! type="module" src="\/console\/docs.js">)|<img|<iframe|@import|url\(|javascript:| on[a-z]+=|<style|\sstyle=/i,
      );
      const addresses = [...page.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, address = '']) => address);
      expect(addresses.filter((address) => !/^(data:,$|\/(docs|console|openapi\.json))/.test(address))).toEqual([]);
    }
  });

  it('links only to pages and places that are there, and has no id twice on a page', () => {
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

  it('has requests for the address that the reader used', () => {
    const other = docs.page('site-system', 'https://leads.example.org') ?? '';
    expect(other).toContain('curl -s &#39;https://leads.example.org/api/clinicsys/no-prescreen&#39;');
    expect(other).toContain('fetch(&#39;https://leads.example.org/api/clinicsys/no-prescreen&#39;');
    expect(other).not.toContain('127.0.0.1:8080/api');
    expect(other).not.toContain('\0');
  });

  it('shows the key in requests only where the service asks for one', () => {
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

  it('finds routes, fields, fields of answers and error codes, each at a place that is there', () => {
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
