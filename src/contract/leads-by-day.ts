/** Defines the route that counts leads by the day on which they were received. */
import { z } from 'zod';
import { flows } from './flows';
import { endpoint } from './endpoint';
import { oneOf, oneTo } from './fields';
import { group } from './leads';

/** The maximum number of days in one answer. */
export const mostDays = 30;

const day = z.object({
  day: z.iso.date().describe('the date, in UTC'),
  leads: z.int().describe('the number of leads received'),
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
    summary: 'Count the leads received on each day, in UTC, by their current state; a redriven lead counts once',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      flow: oneOf(flows, { description: 'count only leads of this flow' }),
      days: oneTo(mostDays, { description: 'number of days including today, 1 to 30; at most as many as the engine retains closed runs' }),
    }),
    output: z.object({ success: z.literal(true), days: z.array(day).describe('oldest first, with zeros for days without leads') }),
    example: { days: 7 },
  }),
} as const;
