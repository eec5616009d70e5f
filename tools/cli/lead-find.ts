/** `leadgate lead find`: lists leads by e-mail, phone and other terms. */
import { command, statuses } from './command';
import { gatewayOf } from './gateway';
import { filters, filterWithState, pages, parseLimit, state } from './lead-filters';
import { columns, json, shortTime } from './print';
import { stateWord } from './report';

/** Column heads, for terminals only, so that scripts read rows alone. */
const heads = ['lead', 'accepted', 'flow', 'state', 'step', 'reference'];

export const leadFind = command({
  name: 'lead find',
  group: 'Leads',
  summary: 'List leads by state, error, flow, person, site, study or time, newest attempt first',
  options: {
    state,
    ...filters,
    limit: { type: 'string', value: 'number', about: 'the most leads to list (50)' },
    all: { type: 'boolean', about: 'list all leads' },
  },
  examples: [
    'lead find --state parked --upstream V2',
    'lead find --email ann.lee@example.org',
    'lead find --reference form-4711',
    'lead find --site erg-oct --since 2h --all --json',
  ],
  async run({ io, options, config }) {
    const limit = options.all ? Infinity : parseLimit(options.limit, 'lead find');
    const { leads, isMore } = await pages(gatewayOf(config(), io.stopped), filterWithState(options), limit);
    const status = leads.length > 0 ? statuses.done : statuses.no;
    if (options.json) {
      io.out(json({ success: true, count: leads.length, more: isMore, leads }));
      return status;
    }
    const rows = leads.map(({ leadId, createdAt, flow, state: is, step = '', reference = '' }) => [
      leadId,
      shortTime(createdAt),
      flow,
      stateWord(io, is),
      step,
      reference,
    ]);
    if (rows.length > 0) io.out(`${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`);
    io.err(leads.length === 0 ? 'No lead matches.\n' : `${leads.length} shown${isMore ? '; for more: --limit or --all' : ''}\n`);
    return status;
  },
});
