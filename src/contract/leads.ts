/** The routes about leads: find and count them, read one and its exchanges, decide about a parked one, redrive a failed one. */
import { z } from 'zod';
import { deliveryStates, eventTypes, receivers } from '../domain/events';
import { upstreamNames } from '../domain/upstreams';
import { leadCodes, states, troubleStates, waitKinds, type Decision } from '../domain/lead';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { boolean, instant, integer, longest, object, oneOf, oneTo, prose, required, soughtEmail, text, textOrNumber } from './fields';
import { leadFieldNames } from './flows';

export const group = 'Leads';
/** The longest wait that a request can ask for. */
export const longestWaitS = 60;
const code = z.string();
const upstream = z.enum(upstreamNames).optional().describe('the upstream that the error came from');
const error = z.object({ code, message: z.string(), upstream }).optional();
const step = z.object({
  name: z.string(),
  state: z.string(),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  attempts: z.int(),
  error,
});

const summary = z.object({
  leadId: z.string(),
  flow: z.string(),
  state: z.enum(states),
  step: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  restored: z.iso
    .datetime()
    .optional()
    .describe('the lead was open in the copy of this moment, which was restored: it may have been sent since'),
});

/** A lead in a list, with the business terms that it is found by; they hold no personal data. */
const found = summary.extend({
  code: z.enum(leadCodes).optional().describe('why it stands still or failed'),
  upstream,
  site: z.string().optional(),
  studyId: z.string().optional(),
  protocol: z.string().optional(),
});

const by = z.string().optional().describe('the name of the key of the person who decided');
const decision = z.object({ at: z.iso.datetime(), verb: z.string(), reason: z.string(), upstreamId: z.string().optional(), by });

const attempt = z.object({
  attempt: z.int().describe('1 is the lead as it came in; each redrive is one more'),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  state: z.enum(states),
  by,
  reason: z.string().optional().describe('why it was redriven'),
  changed: z.array(z.string()).optional().describe('names of the fields that were mended'),
  error,
  temporalUrl: z.url().optional().describe('its run in the Temporal UI, if the address of that is known'),
});

const waitsFor = z.object({
  what: z.enum(waitKinds),
  words: z.string(),
  nextTryAt: z.iso.datetime().optional().describe('of a hold: when the next lead of its line goes'),
  upstream: z.enum(upstreamNames).optional(),
  instance: z.string().optional(),
});

export const lead = summary.extend({
  success: z.literal(true),
  masked: z
    .literal(true)
    .optional()
    .describe('the result is masked: in clear only the key that sent the lead and operators see it, unless they asked for clear=false'),
  waitsFor: waitsFor.optional().describe('what an open lead waits for; absent while it is at work'),
  steps: z.array(step),
  attempts: z.array(attempt).describe('oldest first'),
  sandbox: z.literal(true).optional().describe('true if the sandbox stood in for an upstream'),
  result: z.looseObject({}).optional().describe("the success body of the lead's route, without the access key of the site system"),
});

const listed = z.object({ success: z.literal(true), count: z.int(), leads: z.array(found), nextCursor: z.string().optional() });
const counted = z.object({
  success: z.literal(true),
  counts: z.record(z.enum(states), z.int()),
  groups: z
    .array(z.object({ state: z.enum(troubleStates), code: z.enum(leadCodes).optional(), upstream, count: z.int() }))
    .optional()
    .describe('the leads that stand still or failed, most first; without a code they wait for another lead of their person'),
  stuckRuns: z
    .object({ count: z.int(), temporalUrl: z.url().optional().describe('their list in the Temporal UI, if the address of that is known') })
    .optional()
    .describe(
      'with groups=true: runs of any kind whose workflow tasks keep failing or timing out; absent: none, or the engine cannot tell',
    ),
});

const exchange = z.object({
  call: z.string(),
  step: z.string().optional(),
  temporalUrl: z.url().optional().describe('its event in the Temporal UI, if the address of that is known'),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  status: z.int().optional().describe('the HTTP status of the answer; absent: no answer came, or nothing was asked'),
  request: z.unknown().optional(),
  answer: z.unknown().optional().describe('absent beside a status: the answer is not kept'),
  error: z.object({ code, message: z.string(), status: z.int().optional() }).optional(),
  fields: z.array(z.string()).optional(),
});

const mended = z.object({
  field: z.string(),
  before: z.unknown().optional().describe('absent: the attempt before had none'),
  after: z.unknown().optional().describe('absent: it was taken out'),
});

const story = z.object({
  success: z.literal(true),
  leadId: z.string(),
  flow: z.string(),
  attempt: z.int(),
  steps: z.array(step).describe('of this attempt'),
  clear: z.boolean(),
  lead: z.looseObject({}),
  mended: z
    .array(mended)
    .optional()
    .describe('the fields that the redrive changed, with their values of the attempt before and of this one'),
  exchanges: z.array(exchange),
  decisions: z
    .array(decision)
    .describe('what people said of it, and why: resend, confirm, discard, try; redrive, where it is what began this run'),
});

const event = z.object({
  id: z.string().describe('the webhook-id'),
  type: z.enum(eventTypes),
  timestamp: z.iso.datetime(),
  attempt: z.int(),
  deliveries: z.array(
    z.object({
      receiver: z.enum(receivers).describe('webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the lead’s request'),
      state: z.enum(deliveryStates),
      tries: z.int(),
      answer: z.string().optional().describe('what the receiver did at the last try'),
      endedAt: z.iso.datetime().optional(),
    }),
  ),
});

const decided = z.object({ success: z.literal(true), leadId: z.string(), state: z.enum(states) });
const leadId = required(text({ description: 'the lead, as X-Lead-Id or an answer named it' }));
export const reason = required(prose({ description: 'why, in your own words; kept with the run' }));

/** The filters for leads, besides their state. */
export const leadTerms = {
  flow: text({ description: 'only leads of this flow, such as no-prescreen or recruit' }),
  code: oneOf(leadCodes, { description: 'only leads that wait, are parked or failed with this error code' }),
  upstream: oneOf(upstreamNames, { description: 'only leads that wait, are parked or failed because of this upstream' }),
  email: soughtEmail({ description: 'only leads of this e-mail, in any case' }),
  phone: text({ description: 'only leads of this phone, in any punctuation', maxLength: longest.phone }),
  patientId: textOrNumber({ description: 'only the lead that the upstream knows under this id' }),
  site: text({ description: 'only leads of this site, by name or slug' }),
  instanceName: text({ description: 'only leads of this instance of the site system' }),
  protocol: text({ description: 'only leads of this protocol' }),
  studyId: textOrNumber({ description: 'only leads of this study' }),
  restored: oneOf(['true'], { description: 'true: only leads that were open in the copy that was restored' }),
  importId: text({ description: 'only leads that this import started' }),
  since: instant({ description: 'only leads that came, or were redriven, at this moment or later, ISO 8601' }),
  until: instant({ description: 'only leads that came, or were redriven, before or at this moment, ISO 8601' }),
};

export const correctedFields = (description: string) => object({ description, propertyNames: leadFieldNames() });

export const notThere = boolean({
  description: 'true: the run was ended outside of Leadgate (RUN_ENDED), and what may have been sent before is not in the upstream',
});

const decide = (verb: Decision['verb'], summaryText: string, more: z.ZodRawShape = {}) =>
  endpoint({
    method: 'post',
    path: `/api/leads/{leadId}/${verb}`,
    group,
    summary: summaryText,
    carried: 'here',
    errors: [...orderErrors, 'NOT_FOUND'],
    audited: verb,
    input: z.strictObject({ leadId, reason, ...more }),
    output: decided,
    example: {
      reason: verb === 'try' ? 'The upstream is back' : 'Looked it up in the upstream',
      ...(verb === 'confirm' && { upstreamId: '139712' }),
    },
  });

/** So that a tool may send one body to each of the three decisions. */
const unneededId = { upstreamId: textOrNumber({ description: 'taken and not used: only confirm needs it' }) };

export const leads = {
  countLeads: endpoint({
    method: 'get',
    path: '/api/leads/counts',
    group,
    summary: 'How many leads are in each state; groups=true counts them by error code and upstream, too',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    input: z.object({
      ...leadTerms,
      groups: oneOf(['true', 'false'], { description: 'true: also by state, error code and upstream' }),
    }),
    output: counted,
  }),
  listLeads: endpoint({
    method: 'get',
    path: '/api/leads',
    group,
    summary: 'Leads, newest attempt first, by what they can be found by',
    carried: 'here',
    errors: ['NOT_ACCEPTED'],
    input: z.object({
      state: oneOf(states, { description: 'only leads in this state' }),
      ...leadTerms,
      changedSince: instant({ description: 'only leads that came or changed at this moment or later, ISO 8601' }),
      limit: oneTo(200, { description: 'how many at once, 1 to 200; 50 when it is left out' }),
      cursor: prose({ description: 'nextCursor of the answer before' }),
    }),
    output: listed,
  }),
  getLead: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}',
    group,
    summary: 'What happened to one lead, step by step; wait=N waits up to N seconds for its end',
    carried: 'here',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    tellsSandbox: true,
    scope: 'following',
    input: z.object({
      leadId,
      wait: integer({ description: 'wait up to so many seconds for the end of the lead, at most 60' }),
      clear: oneOf(['true', 'false'], {
        description: 'false: masked for everybody. Otherwise the key that sent the lead and operators see it in clear, which is recorded',
      }),
    }),
    output: lead,
  }),
  getExchanges: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}/exchanges',
    group,
    summary: 'What was sent for one lead and what came back, masked; clear=true shows it as it is, and that is recorded',
    carried: 'here',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    tellsSandbox: true,
    scope: 'operator',
    input: z.object({
      leadId,
      clear: oneOf(['true', 'false'], { description: 'true: as it is, and that is recorded' }),
      attempt: integer({ minimum: 1, description: 'of this attempt; the newest one when it is left out' }),
    }),
    output: story,
  }),
  getEvents: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}/events',
    group,
    summary: 'The events of a lead, and how far each one got with its receivers',
    carried: 'here',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    tellsSandbox: true,
    input: z.object({ leadId }),
    output: z.object({ success: z.literal(true), leadId: z.string(), events: z.array(event).describe('oldest first') }),
  }),
  sendEventsAgain: endpoint({
    method: 'post',
    path: '/api/leads/{leadId}/events',
    group,
    summary: 'Send all events of a lead again, each with the webhook-id that it had',
    carried: 'here',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'send-events-again',
    input: z.strictObject({ leadId }),
    output: z.object({ success: z.literal(true), leadId: z.string(), count: z.int() }),
    example: {},
  }),
  resendLead: decide('resend', 'Send the parked step again', unneededId),
  confirmLead: decide('confirm', "The parked step did arrive: go on with the upstream's own id", {
    upstreamId: required(
      textOrNumber({
        description: 'the id that the upstream gave the lead, such as its PatientID; of a comment, that of rtResponse alone',
      }),
    ),
  }),
  discardLead: decide('discard', 'End the parked lead without sending', unneededId),
  tryLead: decide('try', 'Try a waiting lead now; before an upstream that is held, the next lead of the line goes'),
  redriveLead: endpoint({
    method: 'post',
    path: '/api/leads/{leadId}/redrive',
    group,
    summary: 'Send a failed lead again, with corrected fields where they are given',
    carried: 'here',
    errors: [...orderErrors, 'NOT_FOUND', 'CONFIG_ERROR'],
    audited: 'redrive',
    input: z.strictObject({
      leadId,
      reason,
      fields: correctedFields("corrected input fields, under the names of the lead's own route"),
      notThere,
    }),
    output: decided,
    example: { reason: 'The e-mail was mistyped', fields: { email: 'ann.lee@example.org' } },
  }),
} as const;
