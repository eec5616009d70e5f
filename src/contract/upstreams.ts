/** The route that lists the upstreams: open or held, with their waiting lines. */
import { z } from 'zod';
import { holdStates, upstreamNames } from '../domain/hold';
import { endpoint } from './endpoint';

export const upstream = z.object({
  upstream: z.enum(upstreamNames),
  instance: z.string().optional().describe('what is held by itself: account and instance, an environment, a variant'),
  state: z
    .enum(['open', ...holdStates])
    .describe('held: its leads wait; probing: one is under way; draining: it answers again, the line empties'),
  since: z.iso.datetime().optional(),
  failures: z.int().describe('in a row'),
  waiting: z.int().describe('leads in the line'),
  nextProbeAt: z.iso.datetime().optional(),
  lastError: z.string().optional(),
});

export const upstreams = {
  listUpstreams: endpoint({
    method: 'get',
    path: '/api/upstreams',
    group: 'Leads',
    summary: 'The upstreams: open, or held because they fail, and how many leads wait',
    carried: 'here',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: z.int(), upstreams: z.array(upstream) }),
  }),
} as const;
