/** Defines the routes of reconciliations: start, list, get, stop, and apply what one has proposed. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { findingNames, proposals } from '../domain/reconcile';
import { count, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { boolean, instant, integer, oneOf, oneTo, required, text } from './fields';
import { flows } from './flows';
import { group, reason } from './leads';

const reconciliationId = required(text({ description: 'the id that the start of the reconciliation returned' }));
const moment = z.iso.datetime();
const counts = z.object(Object.fromEntries(findingNames.map((name) => [name, whole])) as Record<(typeof findingNames)[number], z.ZodInt>);

const summary = z.object({
  reconciliationId: z.string(),
  state,
  since: moment.optional(),
  until: moment.optional(),
  flows: z.array(z.string()).optional(),
  startedAt: moment,
  endedAt: moment.optional(),
  count: whole.optional().describe('the number of leads; absent until they are listed'),
  done: whole.optional(),
  counts: counts.optional(),
  by: z.string().optional().describe('the name of the key that started it; absent if it was scheduled'),
});

const finding = z.object({
  leadId: z.string(),
  flow: z.string().optional(),
  state: z.enum(states).optional().describe('the state of the lead when it was compared'),
  finding: z.enum(findingNames),
  why: z.string().optional(),
  upstreamId: z.string().optional().describe("the upstream's id of the person"),
  proposal: z.enum(proposals).optional().describe('for a parked lead: what apply does with it'),
});

const report = summary.required({ count: true, done: true, counts: true }).extend({
  success: z.literal(true),
  remaining: whole,
  leftOut: whole.describe('leads of the window beyond the most that a reconciliation compares'),
  proposals: whole.describe('findings with a proposal; apply takes this as its count'),
  decisionId: z.string().optional().describe('the decision that carries out the proposals, once somebody has applied them'),
  waitsFor: z.string().optional().describe('why the site system does not answer at the moment'),
  findings: z.array(finding),
  nextCursor: z.string().optional(),
});

const counted = z.object({ success: z.literal(true), dryRun: z.literal(true), count: whole, message: z.string() });
const accepted = z.object({ success: z.literal(true), reconciliationId: z.string(), state, statusUrl: z.string() });

export const reconciliations = {
  startReconciliation: endpoint({
    method: 'post',
    path: '/api/reconciliations',
    group,
    summary: 'Compare delivered and parked leads with what the site system holds; nothing is sent or changed',
    handledBy: 'api',
    errors: orderErrors,
    audited: 'reconcile',
    input: z.strictObject({
      since: required(instant({ description: 'compare leads that were received or redriven at this time or later, ISO 8601' })),
      until: instant({ description: 'compare leads that were received or redriven at this time or earlier, ISO 8601; default: now' }),
      flows: z
        .array(z.enum(flows as [string, ...string[]], { error: `must be one of ${flows.join(', ')}` }), {
          error: `must be a list of flows: ${flows.join(', ')}`,
        })
        .min(1, { error: 'must name a flow, or be left out' })
        .optional()
        .describe('compare only leads of these flows; default: all flows'),
      dryRun: boolean({ description: 'true: only count the leads' }),
    }),
    output: counted,
    accepted,
    example: { since: '2026-11-20T00:00:00Z' },
  }),
  listReconciliations: endpoint({
    method: 'get',
    path: '/api/reconciliations',
    group,
    summary: 'List reconciliations, newest first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, reconciliations: z.array(summary) }),
  }),
  getReconciliation: endpoint({
    method: 'get',
    path: '/api/reconciliations/{reconciliationId}',
    group,
    summary: 'Get the progress of a reconciliation, its counts and its findings',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      reconciliationId,
      finding: oneOf(findingNames, { description: 'return only these findings' }),
      proposed: oneOf(['true'], { description: 'true: return only findings with a proposal' }),
      limit: oneTo(500, { description: 'findings per page, 1 to 500; default 100' }),
      cursor: integer({ description: 'nextCursor of the previous page' }),
    }),
    output: report,
  }),
  stopReconciliation: endpoint({
    method: 'post',
    path: '/api/reconciliations/{reconciliationId}/stop',
    group,
    summary: 'Stop a reconciliation; its findings so far remain',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'reconcile-stop',
    input: z.strictObject({ reconciliationId, reason }),
    output: z.object({ success: z.literal(true), reconciliationId: z.string(), state }),
    example: { reason: 'The site system is busy' },
  }),
  applyReconciliation: endpoint({
    method: 'post',
    path: '/api/reconciliations/{reconciliationId}/apply',
    group,
    summary:
      'Carry out the proposals of a reconciliation as one decision: confirm or resend its parked leads; without count, only count them',
    handledBy: 'api',
    errors: [...orderErrors, 'NOT_FOUND'],
    audited: 'reconcile-apply',
    input: z.strictObject({ reconciliationId, reason, count }),
    output: z.object({ success: z.literal(true), count: whole, sample: z.array(z.string()), message: z.string() }),
    accepted: z.object({ success: z.literal(true), decisionId: z.string(), state, count: whole, statusUrl: z.string() }),
    example: { reason: 'The findings were looked at', count: 3 },
  }),
} as const;
