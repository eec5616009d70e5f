/** Finds the route of a flow by its name. */
import { clinicsysFlows } from './clinicsys-flows';
import type { Endpoint } from './endpoint';
import { allOfParts, schemaOf, type JsonSchema } from './json-schema';
import { leadforms } from './leadforms';
import { recruit } from './recruit';
import { screening } from './screening';

/** All routes that send leads. The first one of a flow runs the whole flow; the others run single steps. */
const leadRoutes = Object.entries<Endpoint>({ ...recruit, ...leadforms, ...screening, ...clinicsysFlows }).filter(
  ([, { handledBy }]) => handledBy === 'lead',
);
const routes = new Map<string, readonly [name: string, endpoint: Endpoint]>();
for (const [name, endpoint] of leadRoutes) if (endpoint.flow && !routes.has(endpoint.flow)) routes.set(endpoint.flow, [name, endpoint]);

export const flows: readonly string[] = [...routes.keys()];

export function routeOf(flow: string): readonly [name: string, endpoint: Endpoint] {
  const route = routes.get(flow);
  if (!route) throw new Error('There is no such flow');
  return route;
}

export const pathOf = (flow: string): string => routeOf(flow)[1].path;

/** Builds the JSON schema of property names: each must be a field of some lead route. */
export function leadFieldNames(): JsonSchema {
  const parts = leadRoutes.flatMap(([, endpoint]) => allOfParts(schemaOf(endpoint.input, 'input')));
  const names = (of: 'properties' | 'patternProperties') => [...new Set(parts.flatMap((part) => Object.keys(part[of] ?? {})))];
  return { anyOf: [{ enum: names('properties') }, ...names('patternProperties').map((pattern) => ({ pattern }))] };
}
