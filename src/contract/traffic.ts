/** Defines the route that reports recent traffic: the number of requests and their latency. */
import { z } from 'zod';
import { endpoint } from './endpoint';

const minute = z.object({
  at: z.iso.datetime(),
  done: z.int(),
  accepted: z.int(),
  refused: z.int(),
  failed: z.int(),
  p50Ms: z.number().optional(),
  p95Ms: z.number().optional(),
});

export const traffic = {
  getTraffic: endpoint({
    method: 'get',
    path: '/api/traffic',
    group: 'Leads',
    summary: 'Get the number of leads and task-board calls that this process answered in each minute of the last hour, with their latency',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), since: z.iso.datetime(), minutes: z.array(minute) }),
  }),
} as const;
