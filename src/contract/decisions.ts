/** Defines the routes of a decision about many parked or waiting leads: count, start, list, get and stop. */
import { z } from 'zod';
import { count, countResult, filterOf, orderSummary, ratePerS, reportOf, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { oneOf, required, text } from './fields';
import { group, reason } from './leads';

const verbs = ['resend', 'discard'] as const;
const decisionId = required(text({ description: 'the id that the start of the decision returned' }));
const report = reportOf('decided');
const decision = orderSummary.extend({
  decisionId: z.string(),
  verb: z.enum([...verbs, 'apply']).describe('apply: the proposals of a reconciliation'),
  notDecided: whole.optional(),
});
const started = z.object({ success: z.literal(true), decisionId: z.string(), state, count: whole, statusUrl: z.string() });

export const decisions = {
  startDecision: endpoint({
    method: 'post',
    path: '/api/decisions',
    group,
    summary: 'Resend or discard the parked leads that a filter matches, or discard waiting ones; without count, only count them',
    handledBy: 'api',
    errors: orderErrors,
    audited: 'decide-many',
    input: z.strictObject({
      filter: filterOf('parked', 'waiting'),
      verb: required(
        oneOf(verbs, {
          description: 'resend: send the parked step again, only for parked leads; discard: end the lead, which is not sent again',
        }),
      ),
      reason,
      ratePerS,
      count,
    }),
    output: countResult,
    accepted: started,
    example: { filter: { code: 'OUTCOME_UNKNOWN', upstream: 'recruitment' }, verb: 'resend', reason: 'None of them is in the upstream' },
  }),
  listDecisions: endpoint({
    method: 'get',
    path: '/api/decisions',
    group,
    summary: 'List decisions about many leads, newest first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, decisions: z.array(decision) }),
  }),
  getDecision: endpoint({
    method: 'get',
    path: '/api/decisions/{decisionId}',
    group,
    summary: 'Get the progress of a decision about many leads, and the outcome of each lead',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({ decisionId, ...report.page }),
    output: decision.required({ done: true, notDecided: true }).extend(report.results),
  }),
  stopDecision: endpoint({
    method: 'post',
    path: '/api/decisions/{decisionId}/stop',
    group,
    summary: 'Stop a decision; leads that are already decided continue, the others are unchanged',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'decide-stop',
    input: z.strictObject({ decisionId, reason }),
    output: z.object({ success: z.literal(true), decisionId: z.string(), state }),
    example: { reason: 'Some of them are in the upstream' },
  }),
} as const;
