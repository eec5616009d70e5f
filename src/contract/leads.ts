/** The leads themselves: what happened to each, and what a person decides about a parked one. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { endpoint } from './endpoint';
import { integer, required, text } from './fields';

const group = 'Leads';
const code = z.string();
const step = z.object({
  name: z.string(),
  state: z.string(),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  attempts: z.int(),
  error: z.object({ code, message: z.string() }).optional(),
});

const summary = z.object({
  leadId: z.string(),
  flow: z.string(),
  state: z.enum(states),
  step: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const lead = summary.extend({ success: z.literal(true), steps: z.array(step), result: z.looseObject({}).optional() });

const decided = z.object({ success: z.literal(true), leadId: z.string(), state: z.enum(states) });
const leadId = required(text());
const reason = required(text({ description: 'why, in your own words; kept on the audit trail' }));

const decision = (verb: 'resend' | 'confirm' | 'discard', summaryText: string, more: z.ZodRawShape = {}) =>
  endpoint({
    method: 'post',
    path: `/api/leads/{leadId}/${verb}`,
    group,
    summary: summaryText,
    carried: 'here',
    input: z.object({ leadId, reason, ...more }),
    output: decided,
    example: { reason: 'Looked in the upstream: the lead is not there' },
  });

export const leads = {
  getLead: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}',
    group,
    summary: 'What happened to one lead, step by step; wait=N waits up to N seconds for its end',
    carried: 'here',
    input: z.object({ leadId, wait: integer() }),
    output: lead,
  }),
  resendLead: decision('resend', 'Send the parked step again'),
  confirmLead: decision('confirm', "The parked step did arrive: go on with the upstream's own id", { upstreamId: required(text()) }),
  discardLead: decision('discard', 'End the parked lead without sending'),
} as const;
