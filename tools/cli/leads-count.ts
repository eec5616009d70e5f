/** `leadgate leads count`: counts the leads that are stalled or failed, by error code and upstream. */
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { filterOf, filters } from './lead-filters';
import { columns, pluralize, json } from './print';
import { stateWord } from './report';

/** Column heads, for terminals only, so that scripts read rows alone. */
const heads = ['leads', 'state', 'error', 'upstream'];

export const leadsCount = command({
  name: 'leads count',
  group: 'Many leads',
  summary: 'Count stalled and failed leads by error code and upstream',
  options: filters,
  examples: ['leads count', 'leads count --flow recruit --since 2h --json'],
  async run({ io, options, config }) {
    const answer = await gatewayOf(config(), io.stopped).leads.countLeads({ ...filterOf(options), groups: 'true' });
    if (options.json) {
      io.out(json(answer));
      return statuses.done;
    }
    const { groups = [] } = answer;
    const rows = groups.map(({ count, state, code = '', upstream = '' }) => [String(count), stateWord(io, state), code, upstream]);
    if (rows.length > 0) io.out(`${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`);
    const all = groups.reduce((sum, { count }) => sum + count, 0);
    io.err(`${pluralize(all, 'lead')} stalled or failed\n`);
    return statuses.done;
  },
});
