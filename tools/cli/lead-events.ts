/** `leadgate lead events`: shows what tools were told of a lead, and tells it again. */
import type { GetEventsOutput } from '../client/generated/leads';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { leadId } from './lead-words';
import { columns, counted, inLine, json, shortTime } from './print';

type LeadEvent = GetEventsOutput['events'][number];

export const leadEvents = command({
  name: 'lead events',
  group: 'Leads',
  summary: 'What the webhooks were told of a lead, and how far each event is',
  about: ['With --again all of its events are sent again, each with the webhook-id that it had.'],
  args: [leadId],
  options: { again: { type: 'boolean', about: 'send them all again' } },
  examples: ['lead events bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'],
  async run({ io, args: [id = ''], options, config }) {
    const { leads } = gatewayOf(config(), io.stopped);
    if (options.again) {
      const answer = await leads.sendEventsAgain({ leadId: id });
      const { count } = answer;
      io.out(options.json ? json(answer) : `${counted(count, 'event')} of ${id} ${count === 1 ? 'is' : 'are'} sent again\n`);
      return statuses.done;
    }
    const answer = await leads.getEvents({ leadId: id });
    const rows = answer.events.flatMap(rowsOf);
    io.out(
      options.json
        ? json(answer)
        : rows.length > 0
          ? `${columns(rows)}\n`
          : 'The lead has no events: nobody was to be told of it when it came in.\n',
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
    counted(tries, 'try', 'tries'),
    inLine(answer ?? ''),
  ]);
