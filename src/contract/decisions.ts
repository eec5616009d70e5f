/** The routes of one decision for many parked leads: count, start at a set rate, read its report, stop. */
import { z } from 'zod';
import { count, countedOnly, filterOf, listed, ratePerS, reportOf, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { oneOf, required, text } from './fields';
import { group, reason } from './leads';

const verbs = ['resend', 'discard'] as const;
const decisionId = required(text({ description: 'the decision, as its start named it' }));
const report = reportOf('decided');
const decision = listed.extend({ decisionId: z.string(), verb: z.enum(verbs), notDecided: whole.optional() });
const started = z.object({ success: z.literal(true), decisionId: z.string(), state, count: whole, statusUrl: z.string() });

export const decisions = {
  startDecision: endpoint({
    method: 'post',
    path: '/api/decisions',
    group,
    summary: 'Resend or discard the parked leads that a filter matches; without count they are only counted',
    carried: 'here',
    errors: orderErrors,
    audited: 'decide-many',
    input: z.strictObject({
      filter: filterOf('parked'),
      verb: required(oneOf(verbs, { description: 'resend: send the parked step again; discard: end the lead without sending' })),
      reason,
      ratePerS,
      count,
    }),
    output: countedOnly,
    accepted: started,
    example: { filter: { code: 'OUTCOME_UNKNOWN', upstream: 'recruitment' }, verb: 'resend', reason: 'None of them is there' },
  }),
  listDecisions: endpoint({
    method: 'get',
    path: '/api/decisions',
    group,
    summary: 'Decisions about many leads, newest first',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, decisions: z.array(decision) }),
  }),
  getDecision: endpoint({
    method: 'get',
    path: '/api/decisions/{decisionId}',
    group,
    summary: 'How far a decision about many leads is, and what became of each lead',
    carried: 'here',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({ decisionId, ...report.page }),
    output: decision.required({ done: true, notDecided: true }).extend(report.results),
  }),
  stopDecision: endpoint({
    method: 'post',
    path: '/api/decisions/{decisionId}/stop',
    group,
    summary: 'Stop between two leads; what is decided goes on, the rest stays parked',
    carried: 'here',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'decide-stop',
    input: z.strictObject({ decisionId, reason }),
    output: z.object({ success: z.literal(true), decisionId: z.string(), state }),
    example: { reason: 'Some of them are there after all' },
  }),
} as const;
