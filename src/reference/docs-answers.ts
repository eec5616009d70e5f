/** The answers in the reference page: the shape and an example of each success, and each error with its advice and a link to an example. */
import { errorCodes } from '../contract/errors';
import { code, table, text } from './docs-html';
import { resolve, sketch } from './docs-schema';
import type { Answer, Content, Document, Operation } from './openapi-types';

const block = (value: unknown) => `<pre>${text(JSON.stringify(value, null, 2))}</pre>`;

const sketched: readonly string[] = ['application/json', 'application/x-ndjson'];

function success(document: Document, status: string, { description, content = {} }: Answer): string {
  const kinds = Object.entries(content).map(([type, { schema, example, examples = {} }]) => {
    const shape = sketched.includes(type) ? sketch(document, schema) : type;
    const shown = Object.values(example === undefined ? examples : { only: { value: example } });
    const bodies = shown.map(({ summary, value }) => `<p class="soft">Example${summary ? `, ${text(summary)}` : ''}</p>${block(value)}`);
    return `<pre>${text(shape)}</pre>${bodies.join('')}`;
  });
  return `<h4>${status} ${text(description)}</h4>${kinds.join('')}`;
}

const examplesOf = (content: Content = {}) => Object.entries(content['application/json']?.examples ?? {});

export function answers(document: Document, { responses }: Operation): string {
  const all = Object.entries(responses).map(([status, given]) => ({ status, ...resolve<Answer>(document, given) }));
  const good = all.filter(({ status }) => status < '300').map((answer) => success(document, answer.status, answer));
  const ids = errorIds(document);
  const errors = all
    .filter(({ status }) => status >= '400')
    .flatMap(({ status, content }) =>
      examplesOf(content).map(([name, { summary, value }]) => [
        status,
        `<a href="#${ids.get(keyOf(value))}">${code(name)}</a>`,
        text(summary),
      ]),
    );
  return `${good.join('')}${errors.length > 0 ? `<h4>Errors</h4>${table(['Status', 'Code', 'What to do'], errors)}` : ''}`;
}

const keyOf = (value: unknown) => JSON.stringify(value);

/** The distinct examples of each error code. */
function errorsOf({ components }: Document): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, Map<string, unknown>>();
  for (const { content } of Object.values(components.responses))
    for (const [name, { value }] of examplesOf(content)) found.set(name, new Map(found.get(name)).set(keyOf(value), value));
  return new Map([...found].map(([name, values]) => [name, [...values.values()]]));
}

const idOf = (name: string, at: number) => `${name}-${at + 1}`;

const errorIds = (document: Document): ReadonlyMap<string, string> =>
  new Map([...errorsOf(document)].flatMap(([name, values]) => values.map((value, at) => [keyOf(value), idOf(name, at)] as const)));

/** Examples of all errors, in the order of the table of codes. */
export function errorExamples(document: Document): string {
  const found = errorsOf(document);
  return Object.entries(errorCodes)
    .map(([name, { status, advice }]) => {
      const bodies = (found.get(name) ?? []).map((value, at) => `<div id="${idOf(name, at)}">${block(value)}</div>`);
      return `<h3>${status} ${code(name)}</h3><p>${text(advice)}</p>${bodies.join('')}`;
    })
    .join('');
}
