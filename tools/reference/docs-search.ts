/** The index of the reference's search: routes, their fields, the fields of their answers, and error codes. */
import { errorCodes } from '../../src/contract/errors';
import type { Schema } from '../../src/contract/json-schema';
import { answersOf } from './docs-answers';
import { fieldId, fieldsOf } from './docs-article';
import type { Group } from './docs-frame';
import { given, resolve, rulesOf } from './docs-schema';
import type { Document } from './openapi-types';

interface Found {
  readonly kind: 'route' | 'field' | 'answer' | 'error';
  readonly name: string;
  readonly words: string;
  readonly href: string;
}

/** The names in a schema, however deep. */
function namesIn(document: Document, schema: Schema): string[] {
  const { properties = {}, items, anyOf = [] } = resolve(document, schema);
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return [...Object.keys(properties), ...inner.flatMap((one) => namesIn(document, one))];
}

export function searchIndex(document: Document, groups: readonly Group[]): readonly Found[] {
  const routes = groups.flatMap(({ slug, routes }) => routes.map((route) => ({ ...route, page: `/docs/${slug}` })));
  const ofRoutes = routes.flatMap(({ page, path, method, operation }): Found[] => {
    const title = `${method.toUpperCase()} ${path}`;
    const href = `${page}#${operation.operationId}`;
    const schemas = answersOf(document, operation)
      .filter(({ status }) => status < '300')
      .flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
    const answered = new Set(schemas.flatMap((schema) => namesIn(document, schema)));
    return [
      { kind: 'route', name: title, words: operation.summary, href },
      ...fieldsOf(document, operation).map(({ name, schema }): Found => {
        const words = [title, ...rulesOf(given(schema)).slice(0, 1)].join(' · ');
        return { kind: 'field', name, words, href: `${page}#${fieldId(operation, name)}` };
      }),
      ...[...answered].map((name): Found => ({ kind: 'answer', name, words: `answer of ${title}`, href })),
    ];
  });
  const ofErrors = Object.entries(errorCodes).map(([name, { status, advice }]): Found => ({
    kind: 'error',
    name,
    words: `${status} · ${advice}`,
    href: `/docs/errors#${name}`,
  }));
  return [...ofErrors, ...ofRoutes];
}
