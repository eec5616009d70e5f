/** `leadgate lead find`: finds leads by e-mail, phone and other terms. */
import { flows } from '../contract/flows';
import { isObject } from '../domain/formats';
import { states, type JsonObject } from '../domain/lead';
import { command, statuses, Unable, type Option } from './command';
import { gatewayOf, type Gateway } from './gateway';
import { columns, json } from './print';
import { stateWord } from './report';

const by = (about: string, words?: readonly string[], value?: string) =>
  ({ type: 'string', about, words, value }) as const satisfies Option;

const filters = {
  state: by('how far it is', states),
  flow: by('the way it takes', flows),
  email: by("the person's e-mail; looked up by its keyed hash"),
  phone: by('the same with the phone number, in any punctuation'),
  'patient-id': by("the same with the upstream's patient id"),
  site: by('site or instance, by name or slug'),
  study: by('study id'),
  protocol: by('protocol'),
  since: by('begun at this time or later: 2026-11-21, 2026-11-21T14:00Z, or 90m, 2h, 3d ago', undefined, 'time'),
  until: by('begun at this time or earlier', undefined, 'time'),
} as const;

/** Option → the API's query parameter, where they differ. */
const parameters: Readonly<Record<string, string>> = { 'patient-id': 'patientId', study: 'studyId' };

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function moment(given: string): string {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  return count && unit ? new Date(Date.now() - Number(count) * (units[unit] ?? 0)).toISOString() : given;
}

const mostOnPage = 200;
/** Column heads, for people; scripts read only leads. */
const heads = ['lead', 'came in (UTC)', 'flow', 'state', 'step'];

export const leadFind = command({
  name: 'lead find',
  group: 'Leads',
  summary: 'Leads, newest first, by state, flow, person, site, study or time',
  options: {
    ...filters,
    limit: { type: 'string', value: 'number', about: 'at most so many (50)' },
    all: { type: 'boolean', about: 'all of them, however many' },
  },
  examples: ['lead find --state parked', 'lead find --email ann.lee@example.org', 'lead find --site erg-oct --since 2h --all --json'],
  async run({ io, options, config }) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options)) {
      if (!(name in filters) || typeof value !== 'string') continue;
      query.set(parameters[name] ?? name, name === 'since' || name === 'until' ? moment(value) : value);
    }
    const limit = options.all ? Infinity : wanted(options.limit);
    const { leads, isMore } = await pages(gatewayOf(config(), io.stopped), query, limit);
    if (options.json) {
      io.out(json({ success: true, count: leads.length, more: isMore, leads }));
      return statuses.done;
    }
    const cell = (lead: JsonObject, name: string) => String(lead[name] ?? '');
    const rows = leads.map((lead) => [
      cell(lead, 'leadId'),
      cell(lead, 'createdAt').slice(0, 19).replace('T', ' '),
      cell(lead, 'flow'),
      stateWord(io, cell(lead, 'state')),
      cell(lead, 'step'),
    ]);
    if (rows.length > 0) io.out(`${columns(io.isTerminal ? [heads, ...rows] : rows)}\n`);
    io.err(leads.length === 0 ? 'No lead is like this.\n' : `${leads.length} shown${isMore ? '; there are more: --limit, --all' : ''}\n`);
    return statuses.done;
  },
});

function wanted(limit = '50'): number {
  if (!/^[1-9]\d{0,6}$/.test(limit)) throw new Unable('--limit must be a number; see leadgate lead find --help');
  return Number(limit);
}

async function pages(gateway: Gateway, query: URLSearchParams, limit: number): Promise<{ leads: JsonObject[]; isMore: boolean }> {
  const leads: JsonObject[] = [];
  for (;;) {
    query.set('limit', String(Math.min(limit - leads.length, mostOnPage)));
    const page = await gateway.get(`/api/leads?${query.toString()}`);
    if (Array.isArray(page.leads)) leads.push(...page.leads.filter(isObject));
    if (typeof page.nextCursor !== 'string') return { leads, isMore: false };
    if (leads.length >= limit) return { leads, isMore: true };
    query.set('cursor', page.nextCursor);
  }
}
