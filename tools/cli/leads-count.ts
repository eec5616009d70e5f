/** `leadgate leads count`: how many leads stand still or failed, by error code and upstream. */
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { filterOf, filters } from './lead-filters';
import { columns, counted, json } from './print';
import { stateWord } from './report';

/** The heads of the columns, for a terminal only: a script that reads the lines gets no line of heads. */
const heads = ['leads', 'state', 'error', 'upstream'];

export const leadsCount = command({
  name: 'leads count',
  group: 'Many leads',
  summary: 'How many leads stand still or failed, by error code and upstream',
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
    io.err(`${counted(all, 'lead stands', 'leads stand')} still or failed\n`);
    return statuses.done;
  },
});
