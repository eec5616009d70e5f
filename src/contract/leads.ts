/** Defines the routes about leads: list and count them, get one with its exchanges and events, decide about one, redrive one. */
import { z } from 'zod';
import { deliveryStates, eventTypes, receivers } from '../domain/events';
import { durationForm } from '../domain/formats';
import { upstreamNames } from '../domain/upstreams';
import { leadCodes, states, troubleStates, waitKinds, type Decision } from '../domain/lead';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import {
  boolean,
  instant,
  integer,
  longest,
  matching,
  object,
  oneOf,
  oneTo,
  prose,
  required,
  emailFilter,
  text,
  textOrNumber,
} from './fields';
import { leadFieldNames } from './flows';

export const group = 'Leads';
/** The maximum wait that a request can ask for. */
export const longestWaitS = 60;
const code = z.string();
const upstream = z.enum(upstreamNames).optional().describe('the upstream that returned the error');
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
  reference: z
    .string()
    .optional()
    .describe('the Idempotency-Key that the lead was sent with, masked if it contains personal data; rows of a file have none'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  restored: z.iso
    .datetime()
    .optional()
    .describe('the time of the restored backup in which the lead was open: the lead may have been sent after the backup'),
});

/** A lead in a list, with the business terms that it can be found by. They contain no personal data. */
const listedLead = summary.extend({
  code: z.enum(leadCodes).optional().describe('why the lead waits, is parked or failed'),
  upstream,
  site: z.string().optional(),
  studyId: z.string().optional(),
  protocol: z.string().optional(),
});

const by = z.string().optional().describe('the operator who decided: the name of their key, or person: and their name');
const decision = z.object({ at: z.iso.datetime(), verb: z.string(), reason: z.string(), upstreamId: z.string().optional(), by });

const attempt = z.object({
  attempt: z.int().describe('1 for the original request; each redrive adds 1'),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  state: z.enum(states),
  by,
  reason: z.string().optional().describe('the reason for the redrive'),
  changed: z.array(z.string()).optional().describe('names of the corrected fields'),
  error,
  temporalUrl: z.url().optional().describe('its run in the Temporal UI, if the address of the UI is known'),
});

const waitsFor = z.object({
  what: z.enum(waitKinds),
  words: z.string(),
  nextTryAt: z.iso.datetime().optional().describe('for a hold: when the next waiting lead is sent'),
  upstream: z.enum(upstreamNames).optional(),
  instance: z.string().optional(),
});

export const lead = summary.extend({
  success: z.literal(true).describe('true: the lead was read; only `state` says what became of it'),
  masked: z
    .literal(true)
    .optional()
    .describe('true: the result is masked. Only the key that sent the lead and operators get it in clear, unless they ask for clear=false'),
  waitsFor: waitsFor.optional().describe('what an open lead waits for; absent if it waits for nothing'),
  steps: z.array(step),
  attempts: z.array(attempt).describe('oldest first'),
  sandbox: z.literal(true).optional().describe('true: the sandbox stood in for an upstream'),
  result: z.looseObject({}).optional().describe("the success body of the lead's route, without the access key of the site system"),
});

const leadPage = z.object({ success: z.literal(true), count: z.int(), leads: z.array(listedLead), nextCursor: z.string().optional() });
const leadCounts = z.object({
  success: z.literal(true),
  counts: z.record(z.enum(states), z.int()),
  groups: z
    .array(z.object({ state: z.enum(troubleStates), code: z.enum(leadCodes).optional(), upstream, count: z.int() }))
    .optional()
    .describe(
      'the leads that wait, are parked or failed, by error code and upstream, largest group first; without a code, they wait for another lead of the same person',
    ),
  stuckRuns: z
    .object({
      count: z.int(),
      temporalUrl: z.url().optional().describe('their list in the Temporal UI, if the address of the UI is known'),
    })
    .optional()
    .describe(
      'with groups=true: runs of any kind whose workflow tasks keep failing or timing out; absent if there are none, or if the engine does not report them',
    ),
});

const exchange = z.object({
  call: z.string(),
  step: z.string().optional(),
  temporalUrl: z.url().optional().describe('its event in the Temporal UI, if the address of the UI is known'),
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  status: z.int().optional().describe('the HTTP status of the answer; absent if there was no answer, or nothing was sent'),
  request: z.unknown().optional(),
  answer: z.unknown().optional().describe('the body of the answer; absent if it was not stored'),
  rawAnswer: z
    .object({
      contentType: z.string().optional(),
      bytes: z.int().describe('the bytes that were read'),
      isCut: z.literal(true).optional().describe('true: only the first 64 KB of the text are kept'),
      text: z.string().optional().describe('only in clear'),
    })
    .optional()
    .describe('the text of an answer that was not understood, without secrets'),
  error: z.object({ code, message: z.string(), status: z.int().optional() }).optional(),
  fields: z.array(z.string()).optional(),
});

const correction = z.object({
  field: z.string(),
  before: z.unknown().optional().describe('the value in the previous attempt; absent if there was none'),
  after: z.unknown().optional().describe('the value in this attempt; absent if it was removed'),
});

const exchangesReport = z.object({
  success: z.literal(true),
  leadId: z.string(),
  flow: z.string(),
  attempt: z.int(),
  steps: z.array(step).describe('the steps of this attempt'),
  clear: z.boolean(),
  lead: z.looseObject({}),
  mended: z
    .array(correction)
    .optional()
    .describe('the fields that the redrive changed, with their values in the previous attempt and in this one'),
  exchanges: z.array(exchange),
  decisions: z
    .array(decision)
    .describe('the decisions of operators, with their reasons: resend, confirm, discard, try, and the redrive that started this attempt'),
});

export const delivery = z.object({
  receiver: z.enum(receivers).describe('webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the request'),
  state: z.enum(deliveryStates),
  tries: z.int(),
  answer: z.string().optional().describe('the result of the last try'),
  endedAt: z.iso.datetime().optional(),
});

const event = z.object({
  id: z.string().describe('the id of the event, sent as webhook-id'),
  type: z.enum(eventTypes),
  timestamp: z.iso.datetime(),
  attempt: z.int(),
  deliveries: z.array(delivery),
});

const decisionResult = z.object({ success: z.literal(true), leadId: z.string(), state: z.enum(states) });
const leadId = required(text({ description: 'the id of the lead, as an answer returned it' }));
export const reason = required(prose({ description: 'the reason, as free text; stored encrypted, with the run and with the audit trail' }));

/** The filters of leads, except their state. */
export const leadTerms = {
  flow: text({ description: 'only leads of this flow, such as no-prescreen or recruit' }),
  code: oneOf(leadCodes, { description: 'only leads that wait, are parked or failed with this error code' }),
  upstream: oneOf(upstreamNames, { description: 'only leads that wait, are parked or failed because of this upstream' }),
  email: emailFilter({ description: 'only leads with this e-mail, in any case' }),
  phone: text({ description: 'only leads with this phone, in any punctuation', maxLength: longest.phone }),
  reference: textOrNumber({ description: 'only the lead that was sent with this Idempotency-Key; each caller may have one' }),
  patientId: textOrNumber({ description: 'only the lead with this id in the upstream' }),
  site: text({ description: 'only leads of this site, by name or slug' }),
  instanceName: text({ description: 'only leads of this instance of the site system' }),
  protocol: text({ description: 'only leads of this protocol' }),
  studyId: textOrNumber({ description: 'only leads of this study' }),
  restored: oneOf(['true'], { description: 'true: only leads that were open in the restored backup' }),
  importId: text({ description: 'only leads of this import' }),
  repeatedWithin: matching(durationForm, 'must be a length of time, such as 90s, 10m, 24h or 7d', {
    description:
      'only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded',
  }),
  since: instant({ description: 'only leads that were received or redriven at this time or later, ISO 8601' }),
  until: instant({ description: 'only leads that were received or redriven at this time or earlier, ISO 8601' }),
};

export const correctedFields = (description: string) => object({ description, propertyNames: leadFieldNames() });

export const notThere = boolean({
  description: 'true: confirms that a lead whose run was ended outside of Leadgate (RUN_ENDED) is not in the upstream',
});

const decide = (verb: Decision['verb'], summaryText: string, more: z.ZodRawShape = {}) =>
  endpoint({
    method: 'post',
    path: `/api/leads/{leadId}/${verb}`,
    group,
    summary: summaryText,
    handledBy: 'api',
    errors: [...orderErrors, 'NOT_FOUND'],
    audited: verb,
    input: z.strictObject({ leadId, reason, ...more }),
    output: decisionResult,
    example: {
      reason: verb === 'try' ? 'The upstream is back' : 'Checked it in the upstream',
      ...(verb === 'confirm' && { upstreamId: '139712' }),
    },
  });

/** Accepted so that a tool can send the same body with each of the three decisions. */
const ignoredId = { upstreamId: textOrNumber({ description: 'accepted and ignored: only confirm uses it' }) };

export const leads = {
  countLeads: endpoint({
    method: 'get',
    path: '/api/leads/counts',
    group,
    summary: 'Count the leads in each state; with groups=true, also by error code and upstream',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    input: z.object({
      ...leadTerms,
      groups: oneOf(['true', 'false'], { description: 'true: also count by state, error code and upstream' }),
    }),
    output: leadCounts,
  }),
  listLeads: endpoint({
    method: 'get',
    path: '/api/leads',
    group,
    summary: 'List the leads that the filter matches, newest attempt first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    input: z.object({
      state: oneOf(states, { description: 'only leads in this state' }),
      ...leadTerms,
      changedSince: instant({ description: 'only leads that were received or changed at this time or later, ISO 8601' }),
      limit: oneTo(200, { description: 'leads per page, 1 to 200; default 50' }),
      cursor: prose({ description: 'nextCursor of the previous page' }),
    }),
    output: leadPage,
  }),
  getLead: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}',
    group,
    summary: 'Get a lead with its steps; wait=N waits up to N seconds for its end',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    reportsSandbox: true,
    scope: 'following',
    input: z.object({
      leadId,
      wait: integer({ description: 'seconds to wait for the end of the lead, at most 60' }),
      clear: oneOf(['true', 'false'], {
        description:
          'false: always mask the result. Otherwise the key that sent the lead and operators get it in clear, and the audit trail records the read',
      }),
    }),
    output: lead,
  }),
  getExchanges: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}/exchanges',
    group,
    summary:
      'Get the requests that were sent for a lead and their answers, masked; in clear with clear=true, which the audit trail records',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    reportsSandbox: true,
    scope: 'operator',
    input: z.object({
      leadId,
      clear: oneOf(['true', 'false'], { description: 'true: in clear; the audit trail records the read' }),
      attempt: integer({ minimum: 1, description: 'number of the attempt; default: the newest' }),
    }),
    output: exchangesReport,
  }),
  getEvents: endpoint({
    method: 'get',
    path: '/api/leads/{leadId}/events',
    group,
    summary: 'List the events of a lead with their deliveries',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    reportsSandbox: true,
    input: z.object({ leadId }),
    output: z.object({ success: z.literal(true), leadId: z.string(), events: z.array(event).describe('oldest first') }),
  }),
  sendEventsAgain: endpoint({
    method: 'post',
    path: '/api/leads/{leadId}/events',
    group,
    summary: 'Send all events of a lead again, each with its original webhook-id',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'send-events-again',
    input: z.strictObject({ leadId }),
    output: z.object({ success: z.literal(true), leadId: z.string(), count: z.int() }),
    example: {},
  }),
  sendEventAgain: endpoint({
    method: 'post',
    path: '/api/leads/{leadId}/events/{eventId}/resend',
    group,
    summary: 'Send one event of a lead again, with its original webhook-id',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'send-event-again',
    input: z.strictObject({
      leadId,
      eventId: required(text({ description: 'the id of the event, as a list returned it' })),
      receiver: oneOf(receivers, { description: 'only to this receiver; default: to each' }),
    }),
    output: z.object({ success: z.literal(true), leadId: z.string(), eventId: z.string() }),
    example: {},
  }),
  resendLead: decide('resend', 'Send the parked step again', ignoredId),
  confirmLead: decide('confirm', "Confirm that the parked step arrived, and continue with the upstream's id", {
    upstreamId: required(
      textOrNumber({
        description: 'the id of the lead in the upstream, such as its PatientID; for a comment only the PatientID in rtResponse',
      }),
    ),
  }),
  discardLead: decide('discard', 'End a parked or waiting lead, which is not sent again', ignoredId),
  tryLead: decide('try', 'Try a waiting lead now; if its upstream is held, the next lead in line is tried'),
  redriveLead: endpoint({
    method: 'post',
    path: '/api/leads/{leadId}/redrive',
    group,
    summary: 'Redrive a failed lead, or a waiting one with corrected fields',
    handledBy: 'api',
    errors: [...orderErrors, 'NOT_FOUND', 'CONFIG_ERROR'],
    audited: 'redrive',
    input: z.strictObject({
      leadId,
      reason,
      fields: correctedFields("corrected input fields, named as in the lead's route; required for a waiting lead"),
      notThere,
    }),
    output: decisionResult,
    example: { reason: 'The e-mail was mistyped', fields: { email: 'ann.lee@example.org' } },
  }),
} as const;
