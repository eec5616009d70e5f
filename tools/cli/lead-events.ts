/** `leadgate lead events`: shows the events of a lead and their deliveries, and sends them again. */
import type { GetEventsOutput } from '../client/generated/leads';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { leadId } from './lead-options';
import { columns, pluralize, onOneLine, json, shortTime } from './print';

type LeadEvent = GetEventsOutput['events'][number];

export const leadEvents = command({
  name: 'lead events',
  group: 'Leads',
  summary: 'List the events of a lead and the state of each delivery',
  about: ['With --again, all events are sent again, each with its original webhook-id.'],
  args: [leadId],
  options: { again: { type: 'boolean', about: 'send all events again' } },
  examples: ['lead events bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'],
  async run({ io, args: [id = ''], options, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
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

const rowsOf = ({ type, timestamp, deliveries }: LeadEvent): string[][] =>
  deliveries.map(({ receiver, state, tries, answer }) => [
    shortTime(timestamp),
    type,
    receiver,
    state,
    pluralize(tries, 'try', 'tries'),
    onOneLine(answer ?? ''),
  ]);
