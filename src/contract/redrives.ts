/** The routes of a redrive of many leads: count, start at a set rate, read its report, stop. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { mostRatePerS, redriveOutcomes, redriveStates, usualRatePerS } from '../domain/redrive';
import { endpoint } from './endpoint';
import { integer, oneOf, oneTo, required, text } from './fields';
import { leadFieldNames } from './flows';
import { group, leadTerms, reason } from './leads';

const redriveId = required(text({ description: 'the redrive, as its start named it' }));
const state = z.enum(redriveStates);
const moment = z.iso.datetime();

/** Unknown names are refused: ignoring one would make the filter wider than it was meant. */
const filter = z
  .strictObject(
    { ...leadTerms, state: oneOf(['failed']) },
    { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object; empty for every failed lead') },
  )
  .meta({ description: 'which failed leads, by what they can be found by; empty for all' });

export const ratePerS = oneTo(mostRatePerS, { default: usualRatePerS, description: 'most leads started a second' });

const result = z.object({
  leadId: z.string(),
  outcome: z.enum(redriveOutcomes),
  code: z.string().optional(),
  message: z.string().optional(),
  state: z.enum(states).optional(),
});

const listed = z.object({
  redriveId: z.string(),
  state,
  count: z.int(),
  done: z.int().optional(),
  failedToStart: z.int().optional(),
  ratePerS: z.int(),
  startedAt: moment,
  endedAt: moment.optional(),
});

const started = z.object({ success: z.literal(true), redriveId: z.string(), state, count: z.int(), statusUrl: z.string() });

export const redrives = {
  startRedrive: endpoint({
    method: 'post',
    path: '/api/redrives',
    group,
    summary: 'Send the failed leads that a filter matches again; without count they are only counted',
    carried: 'here',
    audited: 'redrive-many',
    input: z.strictObject({
      filter,
      reason,
      fields: z.record(z.string(), z.unknown()).optional().meta({
        description: "corrected input fields for each of them, under the names of the leads' own routes",
        propertyNames: leadFieldNames(),
      }),
      ratePerS,
      count: integer({ description: 'how many leads the filter matches, as the answer without count says' }),
    }),
    output: z.object({ success: z.literal(true), count: z.int(), sample: z.array(z.string()), message: z.string() }),
    accepted: started,
    example: { filter: { flow: 'no-prescreen', instanceName: 'erg-oct' }, reason: 'The instance was down' },
  }),
  listRedrives: endpoint({
    method: 'get',
    path: '/api/redrives',
    group,
    summary: 'Redrives of many leads, newest first',
    carried: 'here',
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: z.int(), redrives: z.array(listed) }),
  }),
  getRedrive: endpoint({
    method: 'get',
    path: '/api/redrives/{redriveId}',
    group,
    summary: 'How far a redrive is, and what became of each lead',
    carried: 'here',
    scope: 'operator',
    input: z.object({
      redriveId,
      limit: oneTo(500, { description: 'how many results at once, 1 to 500; 100 when it is left out' }),
      cursor: integer({ description: 'nextCursor of the answer before' }),
    }),
    output: listed.required({ done: true, failedToStart: true }).extend({
      success: z.literal(true),
      remaining: z.int(),
      results: z.array(result),
      nextCursor: z.string().optional(),
    }),
  }),
  stopRedrive: endpoint({
    method: 'post',
    path: '/api/redrives/{redriveId}/stop',
    group,
    summary: 'Stop between two leads; what is started goes on, the rest stays failed',
    carried: 'here',
    audited: 'redrive-stop',
    input: z.object({ redriveId, reason }),
    output: z.object({ success: z.literal(true), redriveId: z.string(), state }),
    example: { reason: 'The instance is down again' },
  }),
} as const;
