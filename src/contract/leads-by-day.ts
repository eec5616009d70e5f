/** The route that counts leads by the day on which they came in. */
import { z } from 'zod';
import { flows } from './flows';
import { endpoint } from './endpoint';
import { oneOf, oneTo } from './fields';
import { group } from './leads';

/** More days than this are never told. */
export const mostDays = 30;

const day = z.object({
  day: z.iso.date().describe('in UTC'),
  leads: z.int().describe('how many came in'),
  delivered: z.int(),
  skipped: z.int(),
  failed: z.int(),
  parked: z.int(),
  discarded: z.int(),
  open: z.int().describe('running, waiting or verifying'),
});

export const leadsByDay = {
  countLeadsByDay: endpoint({
    method: 'get',
    path: '/api/leads/history',
    group,
    summary: 'How many leads came in on each day, in UTC, and how they stand now; a lead that was sent again counts once',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      flow: oneOf(flows, { description: 'only leads of this flow' }),
      days: oneTo(mostDays, { description: 'how many days, today included, 1 to 30; never more than the engine keeps closed runs' }),
    }),
    output: z.object({ success: z.literal(true), days: z.array(day).describe('oldest first; a day without leads has zeros') }),
    example: { days: 7 },
  }),
} as const;
