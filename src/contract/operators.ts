/** The routes for operators only: the audit trail, erasures, retention, and a test of the alerts. */
import { z } from 'zod';
import { channels } from '../domain/alerts';
import { isAbsent } from '../domain/formats';
import { endpoint } from './endpoint';
import { boolean, email, evenAfterFieldIssues, instant, longest, oneTo, prose, text, textOrNumber } from './fields';
import { oneGiven } from './json-schema';

const group = 'Operators';

const tally = z.object({ flow: z.string(), state: z.string(), site: z.string().optional(), leads: z.int() });

const entry = z.looseObject({
  at: z.iso.datetime(),
  who: z.string(),
  action: z.string(),
  outcome: z.string().optional(),
  leadId: z.string().optional(),
  route: z.string().optional().describe('of a read in clear'),
  address: z.string().optional().describe('of a read in clear: where it was asked from'),
  file: z.string(),
  seq: z.int(),
  hash: z.string(),
});

const erased = {
  leads: z.int(),
  runs: z.int(),
  counts: z.array(tally),
  onTheWire: z.int().optional().describe('of so many a request was on the wire: the upstream may have it'),
  leadIds: z.array(z.string()).optional().describe('told once, and not kept'),
  underWay: z.array(z.string()).optional().describe('of these a request was on the wire; told once, and not kept'),
};

const receipt = z.looseObject({
  success: z.literal(true),
  dryRun: z.literal(true).optional(),
  receiptId: z.string().optional(),
  erasedAt: z.iso.datetime().optional(),
  ...erased,
});

export const goesOnMessage = 'Not everything is gone yet. It goes on by itself: send the same request again to hear how far it is';

const goesOn = z.looseObject({ success: z.literal(false), pending: z.literal(true), message: z.string(), ...erased });

const stretch = {
  since: instant({ description: 'only what was done at this moment or later, ISO 8601' }),
  until: instant({ description: 'only what was done before or at this moment, ISO 8601' }),
};

export const operators = {
  listAudit: endpoint({
    method: 'get',
    path: '/api/audit',
    group,
    summary: 'Who did what, newest first: the trail of this machine',
    carried: 'here',
    errors: [],
    scope: 'operator',
    input: z.object({
      ...stretch,
      leadId: text({ description: 'only what was done to this lead' }),
      action: text({ description: 'only this kind of act, such as resend or erase' }),
      limit: oneTo(1_000, { description: 'how many at once, 1 to 1000; 100 when it is left out' }),
      cursor: prose({ description: 'nextCursor of the answer before' }),
    }),
    output: z.object({ success: z.literal(true), count: z.int(), entries: z.array(entry), nextCursor: z.string().optional() }),
  }),
  erasePerson: endpoint({
    method: 'post',
    path: '/api/erase',
    group,
    summary: 'Forget a person: every run that holds the e-mail, the phone or the patient id is ended and deleted',
    carried: 'here',
    errors: [],
    audited: 'erase',
    input: z
      .strictObject({
        email: email({ description: 'the e-mail of the person, in any case' }),
        phone: text({ description: 'the phone of the person, in any punctuation', maxLength: longest.phone }),
        patientId: textOrNumber({ description: 'the id under which an upstream knows the person' }),
        instanceName: text({ description: 'only what went to this site' }),
        reason: prose({ description: 'why, in your own words; it is not written down' }),
        dryRun: boolean({ description: 'true: only count' }),
      })
      .superRefine(({ email, phone, patientId }, check) => {
        if ([email, phone, patientId].every(isAbsent))
          check.addIssue({ code: 'custom', path: ['email'], message: 'an email, a phone or a patientId is required' });
      }, evenAfterFieldIssues)
      .meta(oneGiven('email', 'phone', 'patientId')),
    output: receipt,
    unfinished: goesOn,
    example: { email: 'ann.lee@example.org', reason: 'The person asked for it', dryRun: true },
  }),
  listErasures: endpoint({
    method: 'get',
    path: '/api/erasures',
    group,
    summary: 'How many leads were erased, by flow, state and site',
    carried: 'here',
    errors: [],
    scope: 'operator',
    input: z.object(stretch),
    output: z.object({ success: z.literal(true), erasures: z.int(), leads: z.int(), counts: z.array(tally) }),
  }),
  getCaller: endpoint({
    method: 'get',
    path: '/api/caller',
    group,
    summary: 'Whose key this is: the name under which its acts are recorded',
    carried: 'here',
    errors: [],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), name: z.string().optional().describe('absent: callers need no keys here') }),
  }),
  getRetention: endpoint({
    method: 'get',
    path: '/api/retention',
    group,
    summary: 'How long what is kept, and since when',
    carried: 'here',
    errors: [],
    scope: 'operator',
    input: z.object({}),
    output: z.object({
      success: z.literal(true),
      closedRuns: z.object({ keptH: z.number(), keptSince: z.iso.datetime() }),
      idempotencyKeys: z.object({ keptH: z.number() }),
      audit: z.object({ keptD: z.number().describe('0: for ever'), oldest: z.iso.datetime().optional() }),
    }),
  }),
  testAlerts: endpoint({
    method: 'post',
    path: '/api/alerts/test',
    group,
    summary: 'Tell a test alert the way that real alerts go, and what became of it; it is told once',
    carried: 'here',
    errors: ['OUTCOME_UNKNOWN', 'CONFIG_ERROR'],
    audited: 'test alerts',
    input: z.strictObject({}),
    output: z.object({
      success: z.literal(true),
      alertId: z.string().describe('as in the message, and in the text of the card'),
      channels: z.array(z.object({ channel: z.enum(channels), arrived: z.boolean(), reason: z.string().optional().describe('why not') })),
    }),
    example: {},
  }),
} as const;
