/** `leadgate leads history`: how many leads came in on each day, and how they stand. */
import type { CountLeadsByDayInput } from '../client/generated/leads';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { terms } from './lead-filters';
import { columns, counted, json } from './print';

/** The fields of a day, and the column heads for people. */
const heads = ['day', 'leads', 'delivered', 'skipped', 'failed', 'parked', 'discarded', 'open'] as const;

export const leadsHistory = command({
  name: 'leads history',
  group: 'Many leads',
  summary: 'How many leads came in on each day, in UTC, and how they stand now',
  options: {
    flow: terms.flow,
    days: { type: 'string', value: 'number', about: 'how many days, today included, 1 to 30; at most as long as closed runs are kept' },
  },
  examples: ['leads history', 'leads history --flow recruit --days 7 --json'],
  async run({ io, options: { flow, days, json: isJson }, config }) {
    const answer = await gatewayOf(config(), io.stopped).leads.countLeadsByDay({ flow: flow as CountLeadsByDayInput['flow'], days });
    if (isJson) {
      io.out(json(answer));
      return statuses.done;
    }
    const rows = answer.days.map((day) => heads.map((name) => String(day[name])));
    io.out(`${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`);
    const all = answer.days.reduce((sum, { leads }) => sum + leads, 0);
    io.err(`${counted(all, 'lead')} in ${counted(answer.days.length, 'day')}\n`);
    return statuses.done;
  },
});
