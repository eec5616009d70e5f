/** `leadgate lead events` and `leadgate events …`: list the events of one lead or of all, and send them again. */
import type { GetEventsOutput, ListDeliveriesInput, ListDeliveriesOutput, StartResendInput } from '../client/generated/leads';
import { deliveryStates, eventTypes, receivers } from '../../src/domain/events';
import { command, statuses, type Command, type Option } from './command';
import { gatewayOf } from './gateway';
import { parseLimit, span, timeForms } from './lead-filters';
import { leadId } from './lead-options';
import { order, orderOptions } from './leads-order';
import { columns, pluralize, onOneLine, json, shortTime } from './print';

type LeadEvent = GetEventsOutput['events'][number];

const leadEvents = command({
  name: 'lead events',
  group: 'Leads',
  summary: 'List the events of a lead and the state of each delivery',
  about: ['With --again, all events are sent again, each with its original webhook-id; with --event, only this one.'],
  args: [leadId],
  options: {
    again: { type: 'boolean', about: 'send all events again' },
    event: { type: 'string', value: 'eventId', about: 'send this event again' },
  },
  examples: ['lead events bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'],
  async run({ io, args: [id = ''], options, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    if (options.event !== undefined) {
      const answer = await leads.sendEventAgain({ leadId: id, eventId: options.event });
      io.out(options.json ? json(answer) : `Sending ${answer.eventId} again\n`);
      return statuses.done;
    }
    if (options.again) {
      const answer = await leads.sendEventsAgain({ leadId: id });
      const { count } = answer;
      io.out(options.json ? json(answer) : `Sending ${pluralize(count, 'event')} of ${id} again\n`);
      return statuses.done;
    }
    const answer = await leads.getEvents({ leadId: id });
    const rows = answer.events.flatMap(rowsOf);
    io.out(
      options.json
        ? json(answer)
        : rows.length > 0
          ? `${columns(rows)}\n`
          : 'The lead has no events: it had no receiver when it was accepted.\n',
    );
    return statuses.done;
  },
});

const deliveryCells = (type: string, { receiver, state, tries, answer }: LeadEvent['deliveries'][number]): string[] => [
  type,
  receiver,
  state,
  pluralize(tries, 'try', 'tries'),
  onOneLine(answer ?? ''),
];

const rowsOf = ({ id, type, timestamp, deliveries }: LeadEvent): string[][] =>
  deliveries.map((delivery) => [shortTime(timestamp), id, ...deliveryCells(type, delivery)]);

const group = 'Many leads';

const terms = {
  type: { type: 'string', about: 'the type of the event', words: eventTypes },
  receiver: { type: 'string', about: 'webhook: EVENTS_WEBHOOK_URL; callback: the X-Callback-URL of the request', words: receivers },
  since: { type: 'string', value: 'time', about: `events of this time or later: ${timeForms}` },
  until: { type: 'string', value: 'time', about: 'events of this time or earlier' },
} as const satisfies Readonly<Record<string, Option>>;

/** The parser has checked the words. */
const filterOf = ({ type, receiver, since, until }: Readonly<Partial<Record<keyof typeof terms, string>>>): StartResendInput['filter'] => ({
  type: type as StartResendInput['filter']['type'],
  receiver: receiver as StartResendInput['filter']['receiver'],
  ...span({ since, until }),
});

const mostOnPage = 200;

const eventsList = command({
  name: 'events list',
  group,
  summary: 'List the deliveries of events over all leads, the lead whose events were posted last first',
  options: {
    state: { type: 'string', about: 'the state of the delivery', words: deliveryStates },
    ...terms,
    limit: { type: 'string', value: 'number', about: 'the most deliveries to list (50)' },
  },
  examples: ['events list --state given-up --since 1d'],
  async run({ io, options, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    const limit = parseLimit(options.limit, 'events list');
    const deliveries: ListDeliveriesOutput['deliveries'][number][] = [];
    let cursor: string | undefined;
    do {
      const filter = { ...filterOf(options), state: options.state as ListDeliveriesInput['state'] };
      const page = await leads.listDeliveries({ ...filter, limit: Math.min(limit - deliveries.length, mostOnPage), cursor });
      deliveries.push(...page.deliveries);
      cursor = page.nextCursor;
    } while (cursor !== undefined && deliveries.length < limit);
    if (options.json) {
      io.out(json({ success: true, count: deliveries.length, more: cursor !== undefined, deliveries }));
      return statuses.done;
    }
    const rows = deliveries.map((one) => [shortTime(one.timestamp), one.eventId, ...deliveryCells(one.type, one)]);
    if (rows.length > 0) io.out(`${columns(rows)}\n`);
    io.err(rows.length === 0 ? 'No delivery matches.\n' : `${rows.length} shown${cursor === undefined ? '' : '; for more: --limit'}\n`);
    return statuses.done;
  },
});

const eventsResend = command({
  name: 'events resend',
  group,
  summary: 'Send the events again whose delivery was given up, each with its original webhook-id',
  options: { ...terms, ...orderOptions },
  examples: [`events resend --since 3d --reason 'the receiver was down' --expect 12`],
  run: (call) => order(call, filterOf(call.options), (leads, request) => leads.startResend(request)),
});

export const eventCommands: readonly Command[] = [leadEvents, eventsList, eventsResend];
