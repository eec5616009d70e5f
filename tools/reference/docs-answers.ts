/** Renders the answers of a route: the fields and an example of each success, and each error with its advice and an example. */
import { errorCodes } from '../../src/contract/errors';
import { block, code, json, text } from './docs-html';
import { resolve, sketch } from './docs-schema';
import type { Answer, Content, Document, Operation } from './openapi-types';

const sketched: readonly string[] = ['application/json', 'application/x-ndjson'];

export const answersOf = (document: Document, { responses }: Operation) =>
  Object.entries(responses).map(([status, given]) => ({ status, ...resolve<Answer>(document, given) }));

/** Renders each answer of a route as a collapsed section. */
export const answers = (document: Document, operation: Operation): string =>
  answersOf(document, operation)
    .flatMap(({ status, description, content = {} }) =>
      status < '400'
        ? [unfold(`<span class="good">${status}</span> ${text(description)}`, success(document, content))]
        : errorsOf(content).map(([name, { summary, value }]) =>
            unfold(`<span class="bad">${status}</span> ${code(name)} <span class="soft">${text(summary)}</span>`, block(json(value))),
          ),
    )
    .join('');

const unfold = (summary: string, inner: string) => `<details class="answer"><summary>${summary}</summary>${inner}</details>`;

function success(document: Document, content: Content): string {
  const kinds = Object.entries(content).map(([type, { schema, example, examples = {} }]) => {
    const shown = Object.values(example === undefined ? examples : { only: { value: example } });
    const bodies = shown.map(
      ({ summary, value }) => `<h4>${text(summary ?? 'Example')}</h4>${block(typeof value === 'string' ? value : json(value))}`,
    );
    const shape = sketched.includes(type) ? sketch(document, schema) : type;
    return `${bodies.join('')}<h4>Fields</h4>${block(shape)}`;
  });
  return kinds.join('');
}

const errorsOf = (content: Content = {}) => Object.entries(content['application/json']?.examples ?? {});

/** Renders every error code with all its different examples. */
export function allErrors({ components }: Document): string {
  const examples = Object.values(components.responses).flatMap(({ content }) => errorsOf(content));
  return Object.entries(errorCodes)
    .map(([name, { status, retryable, advice }]) => {
      const bodies = new Set(examples.filter(([each]) => each === name).map(([, { value }]) => json(value)));
      const again = retryable ? '<p class="soft">The same request can be retried.</p>' : '';
      return `<section id="${name}"><h2>${status} ${code(name)}</h2><p>${text(advice)}</p>${again}${[...bodies].map(block).join('')}</section>`;
    })
    .join('');
}
