/** Lists all endpoints. A row's name is its operation id and, if a run handles it, the workflow type. */
import { clinicsysFlows } from './clinicsys-flows';
import { clinicsysToolkit } from './clinicsys-toolkit';
import type { Endpoint } from './endpoint';
import { events } from './events';
import { decisions } from './decisions';
import { leadExport } from './export';
import { imports } from './imports';
import { leadforms } from './leadforms';
import { leads } from './leads';
import { leadsByDay } from './leads-by-day';
import { operators } from './operators';
import { reconciliations } from './reconciliations';
import { recruit } from './recruit';
import { redrives } from './redrives';
import { screening } from './screening';
import { taskboard } from './taskboard';
import { traffic } from './traffic';
import { upstreams } from './upstreams';

export const endpoints = {
  ...taskboard,
  ...recruit,
  ...leadforms,
  ...screening,
  ...clinicsysFlows,
  ...clinicsysToolkit,
  // Must precede the route of one lead, whose path matches it, too.
  ...leadsByDay,
  ...leads,
  ...leadExport,
  ...imports,
  ...redrives,
  ...decisions,
  ...reconciliations,
  ...events,
  ...traffic,
  ...upstreams,
  ...operators,
} as const;

export type EndpointName = keyof typeof endpoints;

export const endpointTable: readonly (readonly [EndpointName, Endpoint])[] = Object.entries(endpoints) as [EndpointName, Endpoint][];
