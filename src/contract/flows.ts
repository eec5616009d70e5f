/** Finds the route of each flow, by the flow's name. */
import { clinicsysFlows } from './clinicsys-flows';
import type { Endpoint } from './endpoint';
import { allOfParts, schemaOf, type JsonSchema } from './json-schema';
import { leadforms } from './leadforms';
import { recruit } from './recruit';
import { screening } from './screening';

/** All routes that carry leads. The first of a flow carries the whole lead; the ones after it are single steps. */
const leadRoutes = Object.entries<Endpoint>({ ...recruit, ...leadforms, ...screening, ...clinicsysFlows }).filter(
  ([, { carried }]) => carried === 'lead',
);
const routes = new Map<string, readonly [name: string, endpoint: Endpoint]>();
for (const [name, endpoint] of leadRoutes) if (endpoint.flow && !routes.has(endpoint.flow)) routes.set(endpoint.flow, [name, endpoint]);

export const flows: readonly string[] = [...routes.keys()];

export function routeOf(flow: string): readonly [name: string, endpoint: Endpoint] {
  const route = routes.get(flow);
  if (!route) throw new Error('there is no such flow');
  return route;
}

export const pathOf = (flow: string): string => routeOf(flow)[1].path;

/** The JSON schema for the names of an object: each must be a field of any lead's route. */
export function leadFieldNames(): JsonSchema {
  const parts = leadRoutes.flatMap(([, endpoint]) => allOfParts(schemaOf(endpoint.input, 'input')));
  const names = (of: 'properties' | 'patternProperties') => [...new Set(parts.flatMap((part) => Object.keys(part[of] ?? {})))];
  return { anyOf: [{ enum: names('properties') }, ...names('patternProperties').map((pattern) => ({ pattern }))] };
}
