/** `leadgate leads count`: how many leads stand still or failed, by error code and upstream. */
import { isObject } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { filterOf, filters } from './lead-filters';
import { columns, counted, json } from './print';
import { stateWord } from './report';

/** Column heads, for people; scripts read only counts. */
const heads = ['leads', 'state', 'error', 'upstream'];

export const leadsCount = command({
  name: 'leads count',
  group: 'Many leads',
  summary: 'How many leads stand still or failed, by error code and upstream',
  options: filters,
  examples: ['leads count', 'leads count --flow recruit --since 2h --json'],
  async run({ io, options, config }) {
    const query = new URLSearchParams({ ...filterOf(options), groups: 'true' });
    const answer = await gatewayOf(config(), io.stopped).get(`/api/leads/counts?${query.toString()}`);
    if (options.json) {
      io.out(json(answer));
      return statuses.done;
    }
    const groups = Array.isArray(answer.groups) ? answer.groups.filter(isObject) : [];
    const cell = (group: JsonObject, name: string) => String(group[name] ?? '');
    const rows = groups.map((group) => [
      cell(group, 'count'),
      stateWord(io, cell(group, 'state')),
      cell(group, 'code'),
      cell(group, 'upstream'),
    ]);
    if (rows.length > 0) io.out(`${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`);
    const all = groups.reduce((sum, { count }) => sum + Number(count), 0);
    io.err(`${counted(all, 'lead stands', 'leads stand')} still or failed\n`);
    return statuses.done;
  },
});
