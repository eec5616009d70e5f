/**
 * Translates a filter of leads into queries of the engine's index. Personal terms such as an e-mail are searched by their keyed hashes.
 */
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { durationMs } from '../domain/formats';
import { sameEmail, samePhone, sameSite, searchable } from '../domain/found-by';
import { leadCodes, states, type State } from '../domain/lead';
import { plainKey } from '../domain/reference';
import type { KeyRing } from '../keys/ring';
import { attributes } from '../temporal/engine';
import { conditionsOf, flowBesideState } from './lead-queries';
import { isAtSite, siteForms } from './site-term';

export type Filter = Readonly<Record<string, string | undefined>>;

/** Selects the leads of a bulk order; with `leadIds` only those of them. */
export type BulkFilter = Readonly<Record<string, string | undefined>> & { readonly leadIds?: readonly string[] };

/** Searches begin this far in the future, so that a clock that is ahead hides no lead. */
const clockToleranceMs = 3_600_000;
const beginning = Date.UTC(2020, 0, 1);

/** The engine has an index of this start time, so a span of time is found without reading all runs. */
export const timeName = 'ExecutionTime';
/** The latest of these times is the lead's last change, see `updatedAt`. */
const changeNames = [attributes.updated.name, timeName, 'CloseTime'];

export interface LeadQuery {
  /** Each lead matches at most one of these, so their lists and counts add up. */
  readonly wheres: readonly string[];
  /** True if few leads match, as with an e-mail: they are listed in one query, without cutting time into spans. */
  readonly isRare: boolean;
}

const columns = (
  keys: KeyRing,
  sites: Upstreams['sites'],
): Readonly<Record<string, readonly [attribute: string, as: (value: string) => string]>> => ({
  flow: ['LeadFlow', searchable],
  upstream: ['LeadUpstream', searchable],
  // A site of the lead forms is stored by its slug.
  site: ['LeadSite', (value) => sameSite(sites(forwardUrl('leadforms', {}))?.find(value)?.slug ?? value)],
  instanceName: ['LeadSite', sameSite],
  protocol: ['LeadProtocol', searchable],
  studyId: ['LeadStudy', searchable],
  email: ['LeadEmails', (value) => keys.hash('email', sameEmail(value))],
  phone: ['LeadPhones', (value) => keys.hash('phone', samePhone(value))],
  importId: ['LeadImports', searchable],
  reference: ['LeadImports', (value) => referenceHash(keys, plainKey(value))],
  patientId: ['LeadPatientHash', (value) => keys.hash('patient', value)],
});

/** The same for all callers, so that an operator finds the leads of each. */
export const referenceHash = (keys: Pick<KeyRing, 'hash'>, key: string): string => keys.hash('reference', key);

const frequentStates: readonly (string | undefined)[] = ['delivered', 'skipped', undefined] satisfies (State | undefined)[];

export const quoted = (value: string) => `'${value}'`;
export const quotedTime = (ms: number) => quoted(new Date(ms).toISOString());

/** `only` is a further condition. `ofLeads` excludes runs of no lead where the other conditions do not. */
export type BuildQuery = (filter: Filter, only?: string, state?: string, ofLeads?: string) => LeadQuery;

/** `copiedAt`: the moment of the copy that the stored runs were restored from, if they were. */
export function createQueryBuilder(keys: KeyRing, sites: Upstreams['sites'], copiedAt?: number): BuildQuery {
  const searchColumns = columns(keys, sites);
  return (filter, only = '', state = filter.state, ofLeads = 'LeadFlow IS NOT NULL') => {
    const { email, phone, patientId, reference, code, upstream, changedSince, restored, repeatedWithin } = filter;
    const conditions = Object.entries(searchColumns).flatMap(([name, [attribute, as]]) => {
      const value = filter[name];
      if (!value) return [];
      if (attribute === attributes.site.name) return [isAtSite(siteForms(keys, as(value)))];
      return [name === 'flow' && (state ?? code) ? flowBesideState(as(value)) : `${attribute} = ${quoted(as(value))}`];
    });
    const copied = quotedTime(copiedAt ?? beginning);
    const inCopy = restored ? [`${timeName} <= ${copied} AND (ExecutionStatus = 'Running' OR CloseTime > ${copied})`] : [];
    const changed = changedSince ? [`(${changeNames.map((name) => `${name} >= ${quoted(changedSince)}`).join(' OR ')})`] : [];
    const repeated = repeatedWithin ? [`${attributes.repeat.name} <= ${(durationMs(repeatedWithin) ?? 0) / 1_000}`] : [];
    // Only leads have a state or a flow.
    const leadsOnly = state || filter.flow ? [] : [ofLeads];
    const stateConditions = conditionsOf(
      states.find((each) => each === state),
      leadCodes.find((each) => each === code),
    );
    return {
      wheres: stateConditions.map(
        (stateCondition) =>
          [...leadsOnly, stateCondition, ...conditions, ...changed, ...inCopy, ...repeated].filter(Boolean).join(' AND ') + only,
      ),
      isRare:
        Boolean(email ?? phone ?? patientId ?? reference ?? code ?? upstream ?? changedSince ?? restored ?? repeatedWithin) ||
        !frequentStates.includes(state),
    };
  };
}

/** The span of time that a filter selects. */
export const spanOf = ({ since, until }: Filter) => ({
  from: since ? Date.parse(since) - 1 : beginning,
  until: until ? Date.parse(until) : Date.now() + clockToleranceMs,
});
