/** The flows by name, and the route that a lead of each is sent to. */
import { endpointTable, type EndpointName } from '../contract';
import type { Endpoint } from '../contract/endpoint';

/** The first row of a flow carries the whole lead; the ones after it are single steps. */
const routes = new Map<string, readonly [EndpointName, Endpoint]>();
for (const [name, endpoint] of endpointTable)
  if (endpoint.carried === 'lead' && endpoint.flow && !routes.has(endpoint.flow)) routes.set(endpoint.flow, [name, endpoint]);

export const flows: readonly string[] = [...routes.keys()];

export const pathOf = (flow: string): string => routes.get(flow)?.[1].path ?? '';
