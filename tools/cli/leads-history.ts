/** `leadgate leads history`: counts the leads of each day by their current state. */
import type { CountLeadsByDayInput } from '../client/generated/leads';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { terms } from './lead-filters';
import { columns, pluralize, json } from './print';

/** The fields of a day, which are also the column heads. */
const heads = ['day', 'leads', 'delivered', 'skipped', 'failed', 'parked', 'discarded', 'open'] as const;

export const leadsHistory = command({
  name: 'leads history',
  group: 'Many leads',
  summary: 'Count the leads of each day, in UTC, by their current state',
  options: {
    flow: terms.flow,
    days: { type: 'string', value: 'number', about: 'how many days, including today, 1 to 30; at most the retention of closed runs' },
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
    io.err(`${pluralize(all, 'lead')} in ${pluralize(answer.days.length, 'day')}\n`);
    return statuses.done;
  },
});
