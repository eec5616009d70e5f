/** Defines the routes about events over all leads: list their deliveries, and send those that failed again. */
import { z } from 'zod';
import { deliveryStates, eventTypes, receivers } from '../domain/events';
import { states } from '../domain/lead';
import { count, countResult, orderSummary, ratePerS, reportOf, state, whole } from './bulk';
import { endpoint } from './endpoint';
import { orderErrors } from './errors';
import { instant, oneOf, oneTo, prose, required, text } from './fields';
import { delivery, group, reason } from './leads';

const resendId = required(text({ description: 'the id that the start of the resend returned' }));
const report = reportOf('resent');
const resend = orderSummary.extend({ resendId: z.string(), notResent: whole.optional() });
const started = z.object({ success: z.literal(true), resendId: z.string(), state, count: whole, statusUrl: z.string() });

const terms = {
  type: oneOf(eventTypes, { description: 'only events of this type' }),
  receiver: oneOf(receivers, { description: 'only deliveries to this receiver' }),
  since: instant({ description: 'only events of this time or later, ISO 8601' }),
  until: instant({ description: 'only events of this time or earlier, ISO 8601' }),
};

const listedDelivery = delivery.extend({
  eventId: z.string().describe('the id of the event, sent as webhook-id'),
  type: z.enum(eventTypes),
  timestamp: z.iso.datetime(),
  leadId: z.string(),
  attempt: z.int(),
});

const filter = z
  .strictObject(
    { ...terms, state: oneOf(['given-up']) },
    { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object; empty for every delivery that was given up') },
  )
  .meta({ description: 'selects deliveries that were given up; empty for all' });

/** The body of an event's POST to its receivers. */
export const eventMessage = z.object({
  type: z.enum(eventTypes),
  timestamp: z.iso.datetime(),
  data: z.object({
    leadId: z.string(),
    flow: z.string(),
    state: z.enum(states),
    step: z.string().optional(),
    reference: z.string().optional().describe('the Idempotency-Key that the lead was sent with, masked if it contains personal data'),
    site: z.string().optional(),
    studyId: z.string().optional(),
    protocol: z.string().optional(),
    statusUrl: z.string(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    lead: z.looseObject({}).optional().describe('the fields as received, with EVENTS_PERSONAL_DATA=on'),
  }),
});

export const events = {
  listDeliveries: endpoint({
    method: 'get',
    path: '/api/events',
    group,
    summary: 'List the deliveries of events over all leads: the lead whose events were posted last comes first, and its newest event',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({
      state: oneOf(deliveryStates, { description: 'only deliveries in this state' }),
      ...terms,
      leadId: text({ description: 'only events of this lead' }),
      limit: oneTo(200, { description: 'deliveries per page, 1 to 200; default 50. A page may have fewer, and still a nextCursor' }),
      cursor: prose({ description: 'nextCursor of the previous page' }),
    }),
    output: z.object({ success: z.literal(true), count: whole, deliveries: z.array(listedDelivery), nextCursor: z.string().optional() }),
  }),
  startResend: endpoint({
    method: 'post',
    path: '/api/events/resends',
    group,
    summary: 'Send the events again whose delivery was given up; without count, only count their leads',
    handledBy: 'api',
    errors: orderErrors,
    audited: 'resend-events-many',
    input: z.strictObject({ filter, reason, ratePerS, count }),
    output: countResult,
    accepted: started,
    example: { filter: { since: '2026-11-27T08:00:00Z' }, reason: 'The receiver was down' },
  }),
  listResends: endpoint({
    method: 'get',
    path: '/api/events/resends',
    group,
    summary: 'List resends of events of many leads, newest first',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({}),
    output: z.object({ success: z.literal(true), count: whole, resends: z.array(resend) }),
  }),
  getResend: endpoint({
    method: 'get',
    path: '/api/events/resends/{resendId}',
    group,
    summary: 'Get the progress of a resend of events, and the outcome of each lead',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'NOT_ACCEPTED'],
    scope: 'operator',
    input: z.object({ resendId, ...report.page }),
    output: resend.required({ done: true, notResent: true }).extend(report.results),
  }),
  stopResend: endpoint({
    method: 'post',
    path: '/api/events/resends/{resendId}/stop',
    group,
    summary: 'Stop a resend of events; those of the leads that it has not reached stay given up',
    handledBy: 'api',
    errors: ['NOT_FOUND', 'WRONG_STATE', 'NOT_ACCEPTED'],
    audited: 'resend-events-stop',
    input: z.strictObject({ resendId, reason }),
    output: z.object({ success: z.literal(true), resendId: z.string(), state }),
    example: { reason: 'The receiver is down again' },
  }),
} as const;
