/** Builds the search index of the reference: routes, their fields, the fields of their answers, and error codes. */
import { errorCodes } from '../../src/contract/errors';
import type { Schema } from '../../src/contract/json-schema';
import { answersOf } from './docs-answers';
import { fieldId, fieldsOf } from './docs-article';
import type { DocsGroup } from './docs-frame';
import { withoutAbsent, resolve, rulesOf } from './docs-schema';
import type { Document } from './openapi-types';

interface SearchEntry {
  readonly kind: 'route' | 'field' | 'answer' | 'error';
  readonly name: string;
  readonly words: string;
  readonly href: string;
}

/** Returns all field names of a schema, including nested ones. */
function namesIn(document: Document, schema: Schema): string[] {
  const { properties = {}, items, anyOf = [] } = resolve(document, schema);
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return [...Object.keys(properties), ...inner.flatMap((one) => namesIn(document, one))];
}

export function searchIndex(document: Document, groups: readonly DocsGroup[]): readonly SearchEntry[] {
  const routes = groups.flatMap(({ slug, routes }) => routes.map((route) => ({ ...route, page: `/docs/${slug}` })));
  const ofRoutes = routes.flatMap(({ page, path, method, operation }): SearchEntry[] => {
    const title = `${method.toUpperCase()} ${path}`;
    const href = `${page}#${operation.operationId}`;
    const schemas = answersOf(document, operation)
      .filter(({ status }) => status < '300')
      .flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
    const answered = new Set(schemas.flatMap((schema) => namesIn(document, schema)));
    return [
      { kind: 'route', name: title, words: operation.summary, href },
      ...fieldsOf(document, operation).map(({ name, schema }): SearchEntry => {
        const words = [title, ...rulesOf(withoutAbsent(schema)).slice(0, 1)].join(' · ');
        return { kind: 'field', name, words, href: `${page}#${fieldId(operation, name)}` };
      }),
      ...[...answered].map((name): SearchEntry => ({ kind: 'answer', name, words: `answer of ${title}`, href })),
    ];
  });
  const ofErrors = Object.entries(errorCodes).map(([name, { status, advice }]): SearchEntry => ({
    kind: 'error',
    name,
    words: `${status} · ${advice}`,
    href: `/docs/errors#${name}`,
  }));
  return [...ofErrors, ...ofRoutes];
}
