/** `leadgate lead events`: shows what tools were told of a lead, and tells it again. */
import type { z } from 'zod';
import type { leads } from '../contract/leads';
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { command, statuses, Unable } from './command';
import { gatewayOf, leadPath } from './gateway';
import { leadId } from './lead-words';
import { columns, counted, inLine, json, shortTime } from './print';

type LeadEvent = z.infer<(typeof leads)['getEvents']['output']>['events'][number];

export const leadEvents = command({
  name: 'lead events',
  group: 'Leads',
  summary: 'What the webhooks were told of a lead, and how far each event is',
  about: ['With --again all of its events are sent again, each with the webhook-id that it had.'],
  args: [leadId],
  options: { again: { type: 'boolean', about: 'send them all again' } },
  examples: ['lead events pk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q'],
  async run({ io, args: [id = ''], options, config }) {
    const gateway = gatewayOf(config(), io.stopped);
    if (options.again) {
      const answer = await gateway.post(leadPath(id, 'events'), {});
      io.out(
        options.json
          ? json(answer)
          : `${counted(Number(answer.count), 'event')} of ${id} ${answer.count === 1 ? 'is' : 'are'} sent again\n`,
      );
      return statuses.done;
    }
    const answer = await gateway.get(leadPath(id, 'events'));
    const rows = eventsIn(answer).flatMap(rowsOf);
    io.out(options.json ? json(answer) : rows.length > 0 ? `${columns(rows)}\n` : 'The lead has no events.\n');
    return statuses.done;
  },
});

/** Checks that an answer has events; their values are trusted. */
function eventsIn({ events }: JsonObject): LeadEvent[] {
  if (Array.isArray(events) && events.every(isObject)) return events as LeadEvent[];
  throw new Unable('The answer of the API holds no events: is it another version of Leadgate?');
}

const rowsOf = ({ type, timestamp, deliveries }: LeadEvent): string[][] =>
  deliveries.map(({ receiver, state, tries, answer }) => [
    shortTime(timestamp),
    type,
    receiver,
    state,
    counted(tries, 'try', 'tries'),
    inLine(answer ?? ''),
  ]);
