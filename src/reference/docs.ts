/** Makes the reference page from the OpenAPI document. It has no script and loads nothing from another host. */
import { createHash } from 'node:crypto';
import { errorCodes } from '../contract/errors';
import type { Schema } from '../contract/json-schema';
import { answers, errorExamples } from './docs-answers';
import { curl, samples } from './docs-curl';
import { anchor, code, table, text } from './docs-html';
import { given, isOpen, resolve, rulesOf, typeOf } from './docs-schema';
import { docsStyle } from './docs-style';
import type { Document, Header, Operation, Parameter } from './openapi-types';

/** The page's content security policy: only its own style, by hash. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Marks where the reader's own address belongs; our texts hold no NUL. */
const here = '\0';
const standardBase = 'http://127.0.0.1:8080';

/** The address that the reader used, so that a copied command works. A Host header with anything but host and port is not repeated. */
export function baseOf(protocol: string, host: string | undefined): string {
  const isPlain = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host ?? '');
  return isPlain ? `${protocol === 'https' ? 'https' : 'http'}://${host}` : standardBase;
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface Field {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly schema: Schema;
}

const methodTag = (method: string) => `<span class="method ${method}">${method}</span>`;

export function docsPage(document: Document): (base: string) => string {
  const page = pageOf(document);
  return (base) => page.replaceAll(here, () => text(base));
}

function pageOf(document: Document): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name }) => ({ name, routes: routes.filter(({ operation }) => operation.tags.includes(name)) }));
  const known = samples(document);
  const index = groups.map(({ name, routes }) => `<h2>${text(name)}</h2><ul>${routes.map(link).join('')}</ul>`);
  const sections = groups.map(
    ({ name, routes }) =>
      `<section><h2 id="${anchor(name)}">${text(name)}</h2>${routes.map((route) => article(document, route, known)).join('')}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(document.info.title)} reference</title>
<style>${docsStyle}</style>
</head>
<body id="top">
<a class="skip" href="#main">To the reference</a>
<div class="bar"><span class="brand">${text(document.info.title)}</span><a href="#index">Index</a></div>
<div class="page">
<nav id="index" aria-label="Index">
<div class="brand">${text(document.info.title)} <span class="soft">${text(document.info.version)}</span></div>
<a class="close" href="#top">Close the index</a>
<h2>About</h2>
<ul><li><a href="#start">How to ask</a></li><li><a href="#headers">Headers</a></li><li><a href="#errors">Errors, and what to do</a></li><li><a href="#answers">How errors look</a></li></ul>
${index.join('\n')}
</nav>
<main id="main" tabindex="-1">
<h1>${text(document.info.title)} reference</h1>
<p>${text(document.info.description)}</p>
${about(document)}
${sections.join('\n')}
<h2 id="answers">How errors look</h2>
${errorExamples(document)}
</main>
</div>
</body>
</html>
`;
}

const link = ({ path, method, operation }: Route) =>
  `<li><a href="#${operation.operationId}" title="${text(operation.summary)}">${methodTag(method)}<span>${text(path.replace(/^\/api\//, '')).replaceAll('/', '/<wbr>')}</span></a></li>`;

function about({ components }: Document): string {
  const sent = Object.values(components.parameters).map(({ name, description }) => [code(name), text(description)]);
  const got = Object.entries(components.headers).map(([name, { description }]: [string, Header]) => [code(name), text(description)]);
  const codes = Object.entries(errorCodes).map(([name, { status, retryable, advice }]) => [
    String(status),
    code(name),
    retryable ? 'may be sent again' : '',
    text(advice),
  ]);
  return `
<h2 id="start">How to ask</h2>
<p>Send JSON with <code>Content-Type: application/json</code> to ${code(here)}. An answer that is not a success holds
<code>success: false</code>, a <code>message</code> for a person, and an <code>error</code> with its <code>code</code>.</p>
<p>A lead is answered when it has arrived. When that takes longer than the service waits, the answer is 202 with a
<code>statusUrl</code>, and the lead goes on by itself: read it there, and do not send it again.</p>
<p>Where the service asks for a gateway key, send it as <code>Authorization: Bearer KEY</code> or <code>x-gateway-key: KEY</code>.
This reference for machines: <a href="/openapi.json">/openapi.json</a>.</p>
<h2 id="headers">Headers</h2>
<h3>That you may send</h3>
${table(['Header', 'What it does'], sent)}
<h3>That answers carry</h3>
${table(['Header', 'What it says'], got)}
<h2 id="errors">Errors, and what to do</h2>
${table(['Status', 'Code', 'Again', 'What to do'], codes)}`;
}

function article(document: Document, { path, method, operation }: Route, known: ReturnType<typeof samples>): string {
  const { operationId, summary, requestBody } = operation;
  const parameters = operation.parameters.map((one) => resolve<Parameter>(document, one));
  const own = parameters.filter(({ in: place }) => place !== 'header');
  const body = requestBody?.content['application/json']?.schema ?? {};
  const fields = [...own.map(asField), ...Object.entries(body.properties ?? {}).map(([name, schema]) => bodyField(name, schema, body))];
  const headers = parameters.filter(({ in: place, name }) => place === 'header' && name !== 'X-Request-Id').map(({ name }) => code(name));
  return `<article id="${operationId}">
<h3><a href="#${operationId}">${methodTag(method)}<code>${text(path)}</code></a></h3>
<p>${text(summary)}</p>
${fields.length > 0 ? `<h4>Fields</h4>${fieldTable(fields)}` : ''}
${requestBody?.description ? `<p><span class="must">Also:</span> ${text(requestBody.description)}.</p>` : ''}
${isOpen(body) && requestBody ? '<p class="soft">Other fields may come along.</p>' : ''}
${headers.length > 0 ? `<p class="soft">Headers that it takes: ${headers.join(', ')}.</p>` : ''}
<h4>Example</h4>
<pre>${text(curl(here, path, method, operation, parameters, known))}</pre>
<details><summary>Answers and errors</summary>${answers(document, operation)}</details>
</article>`;
}

const asField = ({ name, in: place, required, description, schema }: Parameter): Field => ({
  name,
  place,
  required,
  schema: { ...schema, description },
});

const bodyField = (name: string, schema: Schema, body: Schema): Field => ({
  name,
  place: '',
  required: body.required?.includes(name) ?? false,
  schema,
});

const fieldTable = (fields: readonly Field[]) =>
  table(
    ['Name', 'Type', 'Required', 'What'],
    fields.map(({ name, place, required, schema }) => [
      `<code class="name">${text(name)}</code>${place && ` <span class="soft">${place}</span>`}`,
      text(typeOf(given(schema))),
      required ? '<span class="must">required</span>' : '',
      text(rulesOf(given(schema)).join('; ')),
    ]),
  );
