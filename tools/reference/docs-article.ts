/** Renders a route of the reference: its fields, its answers and its samples. */
import type { Schema } from '../../src/contract/json-schema';
import { answers } from './docs-answers';
import { code, json, name as breakable, text } from './docs-html';
import { exampleRequest, valueOf, type knownValues } from './docs-request';
import { samples } from './docs-samples';
import { withoutAbsent, isOpen, resolve, rulesOf, typeOf } from './docs-schema';
import type { Document, Operation, Parameter } from './openapi-types';

export interface Route {
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

export const methodTag = (method: string) => `<span class="method ${method}">${method}</span>`;

export const parametersOf = (document: Document, { parameters }: Operation) => parameters.map((one) => resolve<Parameter>(document, one));

const jsonBody = ({ requestBody }: Operation): Schema => requestBody?.content['application/json']?.schema ?? {};

/** Returns all fields of a request except its headers. */
export function fieldsOf(document: Document, operation: Operation): readonly Field[] {
  const body = jsonBody(operation);
  const own = parametersOf(document, operation).filter(({ in: place }) => place !== 'header');
  return [
    ...own.map(({ name, in: place, required, description, schema }) => ({ name, place, required, schema: { ...schema, description } })),
    ...Object.entries(body.properties ?? {}).map(([name, schema]) => {
      return { name, place: '', required: body.required?.includes(name) ?? false, schema };
    }),
  ];
}

export const fieldId = (operation: Operation, field: string) => `${operation.operationId}.${field}`;

const row = (operation: Operation, { name, place, required, schema }: Field) =>
  `<div id="${text(fieldId(operation, name))}"><dt>${code(name)} <span class="soft">${text([typeOf(withoutAbsent(schema)), place].filter(Boolean).join(', '))}</span>${
    required ? ' <span class="must">required</span>' : ''
  }</dt><dd>${text(rulesOf(withoutAbsent(schema)).join('; '))}</dd></div>`;

const shownAtOnce = 10;

/** Collapses the optional fields of a long list. */
function fieldList(operation: Operation, fields: readonly Field[]): string {
  const list = (some: readonly Field[]) => `<dl>${some.map((field) => row(operation, field)).join('')}</dl>`;
  if (fields.length <= shownAtOnce) return list(fields);
  const required = fields.filter((field) => field.required);
  const optional = fields.filter((field) => !field.required);
  const folded = `<details><summary>${optional.length} optional fields</summary>${list(optional)}</details>`;
  return `${required.length > 0 ? list(required) : ''}${folded}`;
}

interface ArticleContext {
  readonly document: Document;
  readonly base: string;
  readonly values: ReturnType<typeof knownValues>;
  readonly needsKey: boolean;
}

export function article({ document, base, values, needsKey }: ArticleContext, { path, method, operation }: Route): string {
  const { operationId, summary, requestBody } = operation;
  const parameters = parametersOf(document, operation);
  const fields = fieldsOf(document, operation);
  const headers = parameters.filter(({ in: place, name }) => place === 'header' && name !== 'X-Request-Id').map(({ name }) => code(name));
  const request = exampleRequest(path, method, operation, parameters, values, needsKey);
  const form = {
    method: request.method,
    path,
    fields: parameters
      .filter(({ name }) => name !== 'X-Request-Id' && name !== 'X-Dry-Run')
      .map((parameter) => ({ name: parameter.name, in: parameter.in, required: parameter.required, value: valueOf(parameter, values) })),
    type: request.headers['Content-Type'],
    body: request.file ?? (request.body === undefined ? undefined : json(request.body)),
    dryRun: parameters.some(({ name }) => name === 'X-Dry-Run'),
  };
  return `<article id="${operationId}" data-form="${text(JSON.stringify(form))}">
<div class="words">
<h2><a href="#${operationId}">${methodTag(method)} <code>${breakable(path)}</code></a></h2>
<p>${text(summary)}</p>
${requestBody?.description ? `<p><span class="must">Also:</span> ${text(requestBody.description)}.</p>` : ''}
${fields.length > 0 ? `<h3>Fields</h3>${fieldList(operation, fields)}` : ''}
${isOpen(jsonBody(operation)) && requestBody ? '<p class="soft">Other fields are allowed.</p>' : ''}
${headers.length > 0 ? `<p class="soft"><a href="/docs#headers">Headers</a> that it accepts: ${headers.join(', ')}.</p>` : ''}
<h3>Answers</h3>
${answers(document, operation)}
</div>
<div class="examples">
${samples(operationId, base, request)}
</div>
</article>`;
}
