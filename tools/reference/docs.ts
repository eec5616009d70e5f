/**
 * Makes the pages of the reference from the OpenAPI document: one for each group, one about asking, and one about errors. They are our own,
 * because Redoc, Stoplight Elements and Scalar break under a policy without inline styles, `eval` and other hosts.
 */
import { errorCodes } from '../../src/contract/errors';
import { allErrors } from './docs-answers';
import { article, methodTag, type Route } from './docs-article';
import { framed, type Group } from './docs-frame';
import { anchor, code, name, table, text } from './docs-html';
import { knownValues } from './docs-request';
import { searchIndex } from './docs-search';
import type { Document, Header } from './openapi-types';

/** Marks where the reader's own address belongs; our texts hold no NUL. */
const here = '\0';
const standardBase = 'http://127.0.0.1:8080';

/** The address that the reader used, so that a copied command works. A Host header with anything but host and port is not repeated. */
export function baseOf(protocol: string, host: string | undefined): string {
  const isPlain = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host ?? '');
  return isPlain ? `${protocol === 'https' ? 'https' : 'http'}://${host}` : standardBase;
}

export interface Docs {
  /** The page at `/docs/<slug>`, or at `/docs` for an empty slug; undefined if there is none. */
  page(slug: string, base: string): string | undefined;
  readonly search: ReturnType<typeof searchIndex>;
  readonly slugs: readonly string[];
}

export function createDocs(document: Document, needsKey: boolean): Docs {
  const groups = groupsOf(document);
  const known = { document, base: here, values: knownValues(document), needsKey };
  const pages = new Map([
    ['', framed(document, groups, '', 'Leadgate reference', start(document, groups))],
    ['errors', framed(document, groups, 'errors', 'Errors', allErrors(document))],
    ...groups.map((group): [string, string] => {
      const articles = group.routes.map((route) => article(known, route));
      return [group.slug, framed(document, groups, group.slug, group.name, articles.join('\n'))];
    }),
  ]);
  return {
    page: (slug, base) => pages.get(slug)?.replaceAll(here, () => text(base)),
    search: searchIndex(document, groups),
    slugs: [...pages.keys()],
  };
}

function groupsOf({ paths, tags }: Document): readonly Group[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation })),
  );
  return tags.map(({ name: tag }) => ({
    slug: anchor(tag.replace(/^[A-Z]\. /, '')),
    name: tag,
    routes: routes.filter(({ operation }) => operation.tags.includes(tag)),
  }));
}

function start({ info, components }: Document, groups: readonly Group[]): string {
  const sent = Object.values(components.parameters).map(({ name, description }) => [code(name), text(description)]);
  const got = Object.entries(components.headers).map(([name, { description }]: [string, Header]) => [code(name), text(description)]);
  const codes = Object.entries(errorCodes).map(([name, { status, retryable, advice }]) => [
    String(status),
    `<a href="/docs/errors#${name}">${code(name)}</a>`,
    retryable ? 'may be sent again' : '',
    text(advice),
  ]);
  return `
<p>${text(info.description)}</p>
<h2 id="start">How to ask</h2>
<p>Send JSON with <code>Content-Type: application/json</code> to ${code(here)}. A refusal or a failure holds
<code>success: false</code>, a <code>message</code> for a person, and an <code>error</code> with its <code>code</code>.</p>
<p>A lead is answered when it has arrived. When that takes longer than the service waits, the answer is 202 with a
<code>statusUrl</code>, and the lead goes on by itself: read it there, and do not send it again.</p>
<p>Where the service asks for a gateway key, send it as <code>Authorization: Bearer KEY</code> or <code>x-gateway-key: KEY</code>.
This reference for machines: <a href="/openapi.json">/openapi.json</a>.</p>
<h2 id="routes">Routes</h2>
${groups.map(contents).join('')}
<h2 id="headers">Headers</h2>
<h3>That you may send</h3>
${table(['Header', 'What it does'], sent)}
<h3>That answers carry</h3>
${table(['Header', 'What it says'], got)}
<h2 id="errors">Errors, and what to do</h2>
${table(['Status', 'Code', 'Again', 'What to do'], codes)}`;
}

const contents = ({ slug, name: title, routes }: Group) =>
  `<h3><a href="/docs/${slug}">${text(title)}</a></h3><ul>${routes
    .map(
      ({ path, method, operation: { operationId, summary } }) =>
        `<li><a href="/docs/${slug}#${operationId}">${methodTag(method)} <code>${name(path)}</code></a> <span class="soft">${text(summary)}</span></li>`,
    )
    .join('')}</ul>`;
