/** The parts that the routes of bulk orders, redrives and decisions, have in common. */
import { z } from 'zod';
import { bulkRefusals, bulkStates, mostNamed, mostRatePerS, usualRatePerS, type BulkOutcome } from '../domain/bulk';
import { states, type State } from '../domain/lead';
import { integer, oneOf, oneTo } from './fields';
import { leadTerms } from './leads';

export const state = z.enum(bulkStates);
const moment = z.iso.datetime();
export const whole = z.int();

/** Unknown names are refused: ignoring one would make the filter wider than it was meant. */
export const filterOf = (inState: State) =>
  z
    .strictObject(
      {
        ...leadTerms,
        state: oneOf([inState]),
        leadIds: z.array(z.string()).min(1).max(mostNamed).optional().describe('only these of them'),
      },
      { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : `must be an object; empty for every ${inState} lead`) },
    )
    .meta({ description: `which ${inState} leads, by what they can be found by; empty for all` });

export const ratePerS = oneTo(mostRatePerS, { default: usualRatePerS, description: 'most leads a second' });
export const count = integer({ description: 'how many leads the filter matches, as the answer without count says' });
export const countedOnly = z.object({ success: z.literal(true), count: whole, sample: z.array(z.string()), message: z.string() });

export const listed = z.object({
  state,
  count: whole,
  done: whole.optional(),
  ratePerS: whole,
  startedAt: moment,
  endedAt: moment.optional(),
});

/** The report of an order whose leads become `done` if it is carried out. */
export function reportOf(done: BulkOutcome) {
  const outcomes = [done, ...bulkRefusals] as const;
  const why = { outcome: z.enum(outcomes), code: z.string().optional(), message: z.string().optional() };
  return {
    page: {
      outcome: oneOf(outcomes, { description: 'only results with this outcome' }),
      limit: oneTo(500, { description: 'how many results at once, 1 to 500; 100 when it is left out' }),
      cursor: integer({ description: 'nextCursor of the answer before' }),
    },
    results: {
      success: z.literal(true),
      remaining: whole,
      reasons: z.array(z.object({ ...why, count: whole })).describe('how many leads had each outcome, and why; most first'),
      results: z.array(z.object({ leadId: z.string(), ...why, state: z.enum(states).optional() })),
      nextCursor: z.string().optional(),
    },
  };
}
