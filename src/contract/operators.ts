/** Defines the routes for operators only: the audit trail, erasures, retention times, the name of the caller, and a test alert. */
import { z } from 'zod';
import { channels } from '../domain/alerts';
import { isAbsent } from '../domain/formats';
import { endpoint } from './endpoint';
import { boolean, email, evenAfterFieldIssues, instant, longest, oneOf, oneTo, prose, text, textOrNumber } from './fields';
import { requireAny } from './json-schema';

const group = 'Operators';

const tally = z.object({ flow: z.string(), state: z.string(), site: z.string().optional(), leads: z.int() });

const evidence = z.object({
  reason: z.string().optional(),
  upstreamId: z.string().optional().describe('masked, unless clear=true'),
  changed: z
    .record(z.string(), z.object({ before: z.unknown().optional(), after: z.unknown().optional() }))
    .optional()
    .describe('what the action changed: fields of the lead, or its state; masked, unless clear=true'),
  erased: z.literal(true).optional().describe('true: it was erased with the person'),
  unreadable: z.string().optional().describe('why it cannot be read'),
});

const entry = z.looseObject({
  at: z.iso.datetime(),
  who: z.string(),
  action: z.string(),
  outcome: z.string().optional(),
  leadId: z.string().optional(),
  route: z.string().optional().describe('of a read in clear: the path of the route'),
  address: z.string().optional().describe('of what a request caused: the IP address of the client (TRUST_PROXY)'),
  evidence: evidence.optional().describe('the reason and the values of an action of an operator, which are stored encrypted'),
  evidenceErased: z.array(z.string()).optional().describe('of an erasure: the digests of the evidence that it removed'),
  file: z.string(),
  seq: z.int(),
  hash: z.string(),
});

const erased = {
  leads: z.int(),
  runs: z.int(),
  counts: z.array(tally),
  onTheWire: z.int().optional().describe('the number of leads that were being sent or looked up: the upstream may have received them'),
  leadIds: z.array(z.string()).optional().describe('returned once and not stored'),
  underWay: z.array(z.string()).optional().describe('the leads that were being sent or looked up; returned once and not stored'),
};

const receipt = z.looseObject({
  success: z.literal(true),
  dryRun: z.literal(true).optional(),
  receiptId: z.string().optional(),
  erasedAt: z.iso.datetime().optional(),
  ...erased,
});

export const erasurePendingMessage = 'The erasure is still in progress. Send the same request again to get its progress';

const erasureProgress = z.looseObject({ success: z.literal(false), pending: z.literal(true), message: z.string(), ...erased });

const period = {
  since: instant({ description: 'only what was done at this moment or later, ISO 8601' }),
  until: instant({ description: 'only what was done before or at this moment, ISO 8601' }),
};

export const operators = {
  listAudit: endpoint({
    method: 'get',
    path: '/api/audit',
    group,
    summary: 'List the entries of the audit trail of this machine, newest first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      ...period,
      leadId: text({ description: 'only entries about this lead' }),
      action: text({ description: 'only this action, such as resend or erase' }),
      clear: oneOf(['true', 'false'], { description: 'true: values in clear; the audit trail records the read' }),
      limit: oneTo(1_000, { description: 'entries per page, 1 to 1000; default 100' }),
      cursor: prose({ description: 'nextCursor of the previous page' }),
    }),
    output: z.object({ success: z.literal(true), count: z.int(), entries: z.array(entry), nextCursor: z.string().optional() }),
  }),
  erasePerson: endpoint({
    method: 'post',
    path: '/api/erase',
    group,
    summary: "Erase a person's data: end and delete every run with the e-mail, the phone or the patient id",
    handledBy: 'api',
    errors: [],
    audited: 'erase',
    input: z
      .strictObject({
        email: email({ description: 'the e-mail of the person, in any case' }),
        phone: text({ description: 'the phone of the person, in any punctuation', maxLength: longest.phone }),
        patientId: textOrNumber({ description: 'the id of the person in an upstream' }),
        instanceName: text({ description: 'erase only what was sent to this instance of the site system' }),
        reason: prose({ description: 'the reason, as free text; stored encrypted with the audit trail, also after the erasure' }),
        dryRun: boolean({ description: 'true: only count the runs' }),
      })
      .superRefine(({ email, phone, patientId }, check) => {
        if ([email, phone, patientId].every(isAbsent))
          check.addIssue({ code: 'custom', path: ['email'], message: 'an email, a phone or a patientId is required' });
      }, evenAfterFieldIssues)
      .meta(requireAny('email', 'phone', 'patientId')),
    output: receipt,
    unfinished: erasureProgress,
    example: { email: 'ann.lee@example.org', reason: 'The person asked for it', dryRun: true },
  }),
  listErasures: endpoint({
    method: 'get',
    path: '/api/erasures',
    group,
    summary: 'Count the erased leads by flow, state and site',
    handledBy: 'api',
    errors: [],
    scope: 'operator',
    input: z.object(period),
    output: z.object({ success: z.literal(true), erasures: z.int(), leads: z.int(), counts: z.array(tally) }),
  }),
  getCaller: endpoint({
    method: 'get',
    path: '/api/caller',
    group,
    summary: 'Get the name of the caller, under which the audit trail records its actions',
    handledBy: 'api',
    errors: [],
    scope: 'operator',
    input: z.object({}),
    output: z.object({
      success: z.literal(true),
      name: z.string().optional().describe('of the key, or person: and the name of the person; absent if no keys are configured'),
    }),
  }),
  getRetention: endpoint({
    method: 'get',
    path: '/api/retention',
    group,
    summary: 'Get the retention times, and the start of each kept period',
    handledBy: 'api',
    errors: [],
    scope: 'operator',
    input: z.object({}),
    output: z.object({
      success: z.literal(true),
      closedRuns: z.object({ keptH: z.number(), keptSince: z.iso.datetime() }),
      idempotencyKeys: z.object({ keptH: z.number() }),
      audit: z.object({ keptD: z.number().describe('days; 0: without limit'), oldest: z.iso.datetime().optional() }),
    }),
  }),
  testAlerts: endpoint({
    method: 'post',
    path: '/api/alerts/test',
    group,
    summary: 'Send a test alert, once, to the channels of real alerts, and return the result of each',
    handledBy: 'api',
    errors: ['OUTCOME_UNKNOWN', 'CONFIG_ERROR'],
    audited: 'test alerts',
    input: z.strictObject({}),
    output: z.object({
      success: z.literal(true),
      alertId: z.string().describe('the id in the message and in the text of the card'),
      channels: z.array(
        z.object({ channel: z.enum(channels), arrived: z.boolean(), reason: z.string().optional().describe('why it did not arrive') }),
      ),
    }),
    example: {},
  }),
} as const;
