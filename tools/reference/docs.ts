/**
 * Renders the reference from the OpenAPI document: a start page, a page for each group, and one about errors. Redoc, Stoplight Elements and
 * Scalar are not used, because they need inline styles, `eval` or other hosts, which our Content-Security-Policy forbids.
 */
import { errorCodes } from '../../src/contract/errors';
import { allErrors } from './docs-answers';
import { article, methodTag, type Route } from './docs-article';
import { renderPage, type DocsGroup } from './docs-frame';
import { anchor, code, name, table, text } from './docs-html';
import { knownValues } from './docs-request';
import { searchIndex } from './docs-search';
import type { Document, Header } from './openapi-types';

/** Stands for the address of the reader. No other text contains a NUL. */
const here = '\0';
const standardBase = 'http://127.0.0.1:8080';

/** Returns the address that the reader used, so that a copied command works. Ignores a Host header that is not a host and port. */
export function baseOf(protocol: string, host: string | undefined): string {
  const isPlain = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host ?? '');
  return isPlain ? `${protocol === 'https' ? 'https' : 'http'}://${host}` : standardBase;
}

export interface Docs {
  /** Returns the page at `/docs/<slug>`, or at `/docs` for an empty slug; undefined if there is none. */
  page(slug: string, base: string): string | undefined;
  readonly search: ReturnType<typeof searchIndex>;
  readonly slugs: readonly string[];
}

export function createDocs(document: Document, needsKey: boolean): Docs {
  const groups = groupsOf(document);
  const known = { document, base: here, values: knownValues(document), needsKey };
  const pages = new Map([
    ['', renderPage(document, groups, '', 'Leadgate reference', start(document, groups))],
    ['errors', renderPage(document, groups, 'errors', 'Errors', allErrors(document))],
    ...groups.map((group): [string, string] => {
      const articles = group.routes.map((route) => article(known, route));
      return [group.slug, renderPage(document, groups, group.slug, group.name, articles.join('\n'))];
    }),
  ]);
  return {
    page: (slug, base) => pages.get(slug)?.replaceAll(here, () => text(base)),
    search: searchIndex(document, groups),
    slugs: [...pages.keys()],
  };
}

function groupsOf({ paths, tags }: Document): readonly DocsGroup[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation })),
  );
  return tags.map(({ name: tag }) => ({
    slug: anchor(tag.replace(/^[A-Z]\. /, '')),
    name: tag,
    routes: routes.filter(({ operation }) => operation.tags.includes(tag)),
  }));
}

function start({ info, components }: Document, groups: readonly DocsGroup[]): string {
  const sent = Object.values(components.parameters).map(({ name, description }) => [code(name), text(description)]);
  const got = Object.entries(components.headers).map(([name, { description }]: [string, Header]) => [code(name), text(description)]);
  const codes = Object.entries(errorCodes).map(([name, { status, retryable, advice }]) => [
    String(status),
    `<a href="/docs/errors#${name}">${code(name)}</a>`,
    retryable ? 'retry' : '',
    text(advice),
  ]);
  return `
<p>${text(info.description)}</p>
<h2 id="start">How to send a request</h2>
<p>Send JSON with <code>Content-Type: application/json</code> to ${code(here)}. An error answer has
<code>success: false</code>, a <code>message</code> for a person, and an <code>error</code> with its <code>code</code>.</p>
<p>The answer to a lead comes after the upstream has accepted it. If that takes too long, the answer is 202 with a
<code>statusUrl</code>, and Leadgate continues: read the lead at that URL, and do not send it again.</p>
<p>If the service requires a gateway key, send it as <code>Authorization: Bearer KEY</code> or <code>x-gateway-key: KEY</code>.
This reference as OpenAPI: <a href="/openapi.json">/openapi.json</a>.</p>
<h2 id="routes">Routes</h2>
${groups.map(contents).join('')}
<h2 id="headers">Headers</h2>
<h3>Of requests</h3>
${table(['Header', 'What it does'], sent)}
<h3>Of answers</h3>
${table(['Header', 'What it means'], got)}
<h2 id="errors">Errors and what to do</h2>
${table(['Status', 'Code', 'Retry', 'What to do'], codes)}`;
}

const contents = ({ slug, name: title, routes }: DocsGroup) =>
  `<h3><a href="/docs/${slug}">${text(title)}</a></h3><ul>${routes
    .map(
      ({ path, method, operation: { operationId, summary } }) =>
        `<li><a href="/docs/${slug}#${operationId}">${methodTag(method)} <code>${name(path)}</code></a> <span class="soft">${text(summary)}</span></li>`,
    )
    .join('')}</ul>`;
