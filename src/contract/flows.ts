/** The flows by name, and the route that a lead of each is sent to. */
import { clinicsysFlows } from './clinicsys-flows';
import type { Endpoint } from './endpoint';
import { leadforms } from './leadforms';
import { recruit } from './recruit';
import { screening } from './screening';

/** The first row of a flow carries the whole lead; the ones after it are single steps. */
const routes = new Map<string, readonly [name: string, endpoint: Endpoint]>();
for (const [name, endpoint] of Object.entries<Endpoint>({ ...recruit, ...leadforms, ...screening, ...clinicsysFlows }))
  if (endpoint.carried === 'lead' && endpoint.flow && !routes.has(endpoint.flow)) routes.set(endpoint.flow, [name, endpoint]);

export const flows: readonly string[] = [...routes.keys()];

export function routeOf(flow: string): readonly [name: string, endpoint: Endpoint] {
  const route = routes.get(flow);
  if (!route) throw new Error('there is no such flow');
  return route;
}

export const pathOf = (flow: string): string => routeOf(flow)[1].path;
