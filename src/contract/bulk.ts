/** Defines the fields and reports that redrives and decisions of many leads share. */
import { z } from 'zod';
import { bulkRefusals, bulkStates, mostNamed, mostRatePerS, usualRatePerS, type BulkOutcome } from '../domain/bulk';
import { states, type State } from '../domain/lead';
import { integer, oneOf, oneTo } from './fields';
import { leadTerms } from './leads';

export const state = z.enum(bulkStates);
const moment = z.iso.datetime();
export const whole = z.int();

/** Rejects unknown names: to ignore one would match more leads than the caller meant. */
export const filterOf = (usual: State, ...others: State[]) =>
  z
    .strictObject(
      {
        ...leadTerms,
        state: oneOf([usual, ...others], { description: `the state of the leads; default: ${usual}` }),
        leadIds: z.array(z.string()).min(1).max(mostNamed).optional().describe('limits the filter to these leads'),
      },
      { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : `must be an object; empty for every ${usual} lead`) },
    )
    .meta({ description: `selects ${[usual, ...others].join(' or ')} leads; empty for every ${usual} lead` });

export const ratePerS = oneTo(mostRatePerS, { default: usualRatePerS, description: 'maximum number of leads per second' });
export const count = integer({ description: 'the number of leads that the filter matches, from the answer to a request without count' });
export const countResult = z.object({ success: z.literal(true), count: whole, sample: z.array(z.string()), message: z.string() });

export const orderSummary = z.object({
  state,
  count: whole,
  done: whole.optional(),
  ratePerS: whole,
  startedAt: moment,
  endedAt: moment.optional(),
  by: z.string().optional().describe('the name of the key that gave the order'),
  reason: z.string(),
});

/** Defines the report of an order; `done` is the outcome of a lead for which it succeeded. */
export function reportOf(done: BulkOutcome) {
  const outcomes = [done, ...bulkRefusals] as const;
  const why = { outcome: z.enum(outcomes), code: z.string().optional(), message: z.string().optional() };
  return {
    page: {
      outcome: oneOf(outcomes, { description: 'return only results with this outcome' }),
      limit: oneTo(500, { description: 'results per page, 1 to 500; default 100' }),
      cursor: integer({ description: 'nextCursor of the previous page' }),
    },
    results: {
      success: z.literal(true),
      remaining: whole,
      reasons: z.array(z.object({ ...why, count: whole })).describe('the number of leads for each outcome and reason, most frequent first'),
      results: z.array(z.object({ leadId: z.string(), ...why, state: z.enum(states).optional() })),
      nextCursor: z.string().optional(),
    },
  };
}
