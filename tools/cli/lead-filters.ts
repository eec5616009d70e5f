/** Declares the options that filter leads, for lists, counts and bulk orders. Also reads the matching leads page by page. */
import type { Leadgate } from '../client';
import type { ListLeadsInput, ListLeadsOutput } from '../client/generated/leads';
import { instant } from '../../src/contract/fields';
import { flows } from '../../src/contract/flows';
import { durationMs } from '../../src/domain/formats';
import { leadCodes, states } from '../../src/domain/lead';
import { upstreamNames } from '../../src/domain/upstreams';
import { CommandError, type Option } from './command';
import { program } from './program';

const by = (about: string, words?: readonly string[], value?: string) =>
  ({ type: 'string', about, words, value }) as const satisfies Option;

export const state = by('the state', states);

export const terms = {
  flow: by('the flow', flows),
  code: by('the error code of a waiting, parked or failed lead', leadCodes),
  upstream: by('the upstream of that error', upstreamNames),
  email: by("the person's e-mail, searched by its keyed hash"),
  phone: by("the person's phone number, in any format"),
  reference: by('the Idempotency-Key that the lead was sent with'),
  'patient-id': by('the patient id in the upstream'),
  site: by('site or instance, by name or slug'),
  study: by('study id'),
  protocol: by('protocol'),
  import: by('the id of the import that started it'),
  restored: { type: 'boolean', about: 'leads that were open in the restored copy' },
  'repeated-within': by(
    'leads sent twice: they came again without a key within this time, such as 10m, after the first ended',
    undefined,
    'time',
  ),
} as const;

/** The accepted forms of a time. */
export const timeForms = '2026-11-21, 2026-11-21T14:00Z, or 90m, 2h or 3d for that long ago';

/** The filters of the API, besides the state. */
export const filters = {
  ...terms,
  since: by(`started at or after this time: ${timeForms}`, undefined, 'time'),
  until: by('started at or before this time', undefined, 'time'),
} as const;

/** Option → the API's query parameter, where they differ. */
const parameters: Readonly<Record<string, string>> = {
  'patient-id': 'patientId',
  study: 'studyId',
  import: 'importId',
  'repeated-within': 'repeatedWithin',
};

const time = instant();

/** Converts the time of an option to an exact moment. */
export function moment(option: string, given: string): string {
  const agoMs = durationMs(given);
  const { data } = time.safeParse(agoMs === undefined ? given : new Date(Date.now() - agoMs).toISOString());
  if (data === undefined) throw new CommandError(`--${option} must be a time, like ${timeForms}`);
  return data;
}

/** Converts the times of the options `since` and `until`. */
export const span = ({ since, until }: { readonly since?: string; readonly until?: string }) => ({
  since: since === undefined ? undefined : moment('since', since),
  until: until === undefined ? undefined : moment('until', until),
});

type Filter = Omit<ListLeadsInput, 'state' | 'changedSince' | 'limit' | 'cursor'>;

/** Converts options to the API's filter, and ignores other options. The parser has checked the values. */
export const filterOf = (options: Readonly<Record<string, unknown>>): Filter =>
  Object.fromEntries(
    Object.keys(filters).flatMap((name) => {
      const value = options[name] === true ? 'true' : options[name];
      if (typeof value !== 'string') return [];
      return [[parameters[name] ?? name, name === 'since' || name === 'until' ? moment(name, value) : value]];
    }),
  );

/** Also includes the state. */
export const filterWithState = (options: { readonly state?: string }): ListLeadsInput => ({
  ...filterOf(options),
  state: options.state as ListLeadsInput['state'],
});

/** Reads the limit of a list. */
export function parseLimit(limit = '50', name: string): number {
  if (!/^[1-9]\d{0,6}$/.test(limit)) throw new CommandError(`--limit must be a number; see ${program} ${name} --help`);
  return Number(limit);
}

const mostOnPage = 200;

export type FoundLead = ListLeadsOutput['leads'][number];

/** Reads the leads that match the filter, newest attempt first, page by page. */
export async function pages(
  { leads }: Leadgate,
  filter: ListLeadsInput,
  limit = Infinity,
): Promise<{ readonly leads: FoundLead[]; readonly isMore: boolean }> {
  const found: FoundLead[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await leads.listLeads({ ...filter, limit: Math.min(limit - found.length, mostOnPage), cursor });
    found.push(...page.leads);
    if (page.nextCursor === undefined) return { leads: found, isMore: false };
    if (found.length >= limit) return { leads: found, isMore: true };
    cursor = page.nextCursor;
  }
}
