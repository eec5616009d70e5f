/**
 * Lists and counts leads, newest attempt first, for a filter of business terms (flow, site, study) or personal ones, which are searched by
 * their keyed hashes.
 */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { forwardUrl, type Upstreams } from '../config/upstreams';
import { wrongCursor } from '../contract/errors';
import { leadCodes, openStates, overStates, states, troubleStates, type JsonObject, type LeadTrouble, type State } from '../domain/lead';
import { sameEmail, samePhone, sameSite, searchable } from '../domain/found-by';
import type { KeyRing } from '../keys/ring';
import { BoundedMap } from '../lib/bounded-map';
import { inGroups } from '../lib/in-groups';
import { askDeadlineMs } from '../temporal/ask';
import { attributes } from '../temporal/engine';
import { redrivenAmong } from './attempts';
import { countGroups, groupsOf, type Group } from './lead-groups';
import { conditionsOf, flowBesideState } from './lead-queries';
import { legibleWith } from './legible';
import { changedAt, leadIdOfRun, openInCopy, receivedAt, stateOf, troubleIn, wasEndedOutside } from './runs';
import type { Search } from './search';
import { isAtSite, shownSite, siteForms } from './site-term';

export type Filter = Readonly<Record<string, string | undefined>>;

/** The leads of a bulk order; with `leadIds` only those among them. */
export type BulkFilter = Readonly<Record<string, string | undefined>> & { readonly leadIds?: readonly string[] };

const usualLimit = 50;
const mostLimit = 200;
/** The first stretch of time that is searched. A busy gateway's page lies within it; an empty stretch costs one cheap count. */
const firstSpanMs = 60_000;
/** The search begins this far in the future, so that a clock that is ahead hides no lead. */
const aheadMs = 3_600_000;
const widening = 4;
/** The most leads that one stretch of time may hold to be read at once. */
const mostAtOnce = (wanted: number) => Math.min(1_000, Math.max(100, 2 * wanted));
/** Leads that are checked together for a later attempt. */
const atOnce = 100;
/** Ended runs that are asked for a reset at once. */
const describedAtOnce = 16;
/** Most cached groups of failed leads. */
const groupsKept = 100;
const groupsKeptMs = 10_000;
const beginning = Date.UTC(2020, 0, 1);

/** The last lead of a page: the next page starts after it. */
interface Cursor {
  readonly at: number;
  readonly runId: string;
}

const columns = (
  keys: KeyRing,
  sites: Upstreams['sites'],
): Readonly<Record<string, readonly [attribute: string, as: (value: string) => string]>> => ({
  flow: ['LeadFlow', searchable],
  upstream: ['LeadUpstream', searchable],
  // A site of the lead forms is filed under its slug.
  site: ['LeadSite', (value) => sameSite(sites(forwardUrl('leadforms', {}))?.find(value)?.slug ?? value)],
  instanceName: ['LeadSite', sameSite],
  protocol: ['LeadProtocol', searchable],
  studyId: ['LeadStudy', searchable],
  email: ['LeadEmails', (value) => keys.hash('email', sameEmail(value))],
  phone: ['LeadPhones', (value) => keys.hash('phone', samePhone(value))],
  importId: ['LeadImports', searchable],
  patientId: ['LeadPatientHash', (value) => keys.hash('patient', value)],
});

/** The engine indexes this start time by itself, so a stretch of time is found without reading all runs. */
const timeName = 'ExecutionTime';
/** The times of which the latest is a lead's last change, see `updatedAt`. */
const changeNames = [attributes.updated.name, timeName, 'CloseTime'];

interface Question {
  /** No lead matches two of these, so their lists and counts add up. */
  readonly wheres: readonly string[];
  /** True if few leads match, as with an e-mail: they are then listed at once, without cutting time into stretches. */
  readonly isRare: boolean;
}

const commonStates: readonly (string | undefined)[] = ['delivered', 'skipped', undefined] satisfies (State | undefined)[];

interface Failed {
  readonly groups: readonly Group[];
  readonly redriven: number;
}

type Counted = readonly (readonly [State, number])[];

const sumOf = (counted: Counted): number => counted.reduce((sum, [, count]) => sum + count, 0);

/** The open states that a lead does not pass in a moment. */
const standingStates = openStates.filter((state) => state !== 'running');

/** Divides so many open leads among these states, at most as many as were counted in each. The rest is running. */
function shared(open: number, counted: Counted): Counted {
  let left = Math.max(0, open);
  const parts = counted.map(([state, count]): Counted[number] => {
    const part = Math.min(count, left);
    left -= part;
    return [state, part];
  });
  return [...parts, ['running', left]];
}

const quoted = (value: string) => `'${value}'`;
/** Every lead has one. The engine's database finds these by its index of the state. */
const anyState = `LeadState IN (${states.map(quoted).join(', ')})`;
const moment = (ms: number) => quoted(new Date(ms).toISOString());

export interface LeadList {
  page(filter: Filter, limit?: number): Promise<JsonObject>;
  /** The ids of all leads in this state that the filter matches, the oldest first. */
  idsIn(state: State, filter: BulkFilter): Promise<string[]>;
  counts(filter: Filter): Promise<JsonObject>;
}

/** `copiedAt`: the moment of the copy that the stored runs were restored from, if they were. */
export function createLeadList(search: Search, keys: KeyRing, { sites }: Pick<Upstreams, 'sites'>, copiedAt?: number): LeadList {
  const known = columns(keys, sites);
  const legible = legibleWith(keys);
  const failed = new BoundedMap<string, { readonly at: number; readonly read: Promise<Failed> }>(
    groupsKept,
    ({ at }) => at < Date.now() - groupsKeptMs,
  );

  const listOf = async (wheres: readonly string[]): Promise<WorkflowExecutionInfo[]> =>
    (await Promise.all(wheres.map((where) => search.list(where)))).flat();

  const countOf = async (wheres: readonly string[], deadline?: number): Promise<number> =>
    (await Promise.all(wheres.map((where) => search.count(where, deadline)))).reduce((sum, count) => sum + count, 0);

  /** Keeps each lead's newest run only. Stops when as many as `wanted` are found. */
  async function shown(runs: readonly WorkflowExecutionInfo[], wanted: number): Promise<WorkflowExecutionInfo[]> {
    const left = runs.toSorted(byAge);
    const found: WorkflowExecutionInfo[] = [];
    for (let at = 0; at < left.length && found.length < wanted; at += atOnce)
      found.push(...(await newestOnly(search, left.slice(at, at + atOnce))));
    return found;
  }

  /**
   * Finds the newest leads. The engine lists open runs before closed ones, not by time. So time is cut into stretches, the newest first,
   * each wide enough for a page and narrow enough to be sorted in memory.
   */
  async function newest({ wheres, isRare }: Question, from: number, upTo: number, isLeft: (run: Aged) => boolean, enough: number) {
    const most = mostAtOnce(enough);
    if (isRare && (await countOf(wheres)) <= most) {
      const isWithin = ({ startTime }: Aged) => startTime.getTime() > from && startTime.getTime() <= upTo;
      const all = await listOf(wheres);
      return shown(
        all.filter((run) => isWithin(run) && isLeft(run)),
        enough,
      );
    }
    const found: WorkflowExecutionInfo[] = [];
    const now = Date.now();
    for (let end = upTo, span = Math.max(firstSpanMs, upTo - now); end > from && found.length < enough;) {
      const start = Math.max(from, end - span);
      const queries = wheres.map((where) => `${where} AND ${timeName} > ${moment(start)} AND ${timeName} <= ${moment(end)}`);
      const count = await countOf(queries);
      if (count > most && span > 1) {
        // Narrows the stretch as if its leads lay evenly: even a dense hour takes one or two steps.
        span = Math.ceil((span * most) / (2 * count));
        continue;
      }
      const stretch = count > 0 ? await listOf(queries) : [];
      found.push(...(await shown(stretch.filter(isLeft), enough - found.length)));
      // The future is one stretch; widening begins with the past.
      span = end > now ? firstSpanMs : span * widening;
      end = start;
    }
    return found;
  }

  /** `ofLeads` leaves out what is no lead, where the other conditions do not. */
  function searchFor(filter: Filter, only: string, state = filter.state, ofLeads = 'LeadFlow IS NOT NULL'): Question {
    const { email, phone, patientId, code, upstream, changedSince, restored } = filter;
    const conditions = Object.entries(known).flatMap(([name, [attribute, as]]) => {
      const value = filter[name];
      if (!value) return [];
      if (attribute === attributes.site.name) return [isAtSite(siteForms(keys, as(value)))];
      return [name === 'flow' && (state ?? code) ? flowBesideState(as(value)) : `${attribute} = ${quoted(as(value))}`];
    });
    const copied = moment(copiedAt ?? beginning);
    const inCopy = restored ? [`${timeName} <= ${copied} AND (ExecutionStatus = 'Running' OR CloseTime > ${copied})`] : [];
    const changed = changedSince ? [`(${changeNames.map((name) => `${name} >= ${quoted(changedSince)}`).join(' OR ')})`] : [];
    // Only leads have a state or a flow.
    const leadsOnly = state || filter.flow ? [] : [ofLeads];
    const standing = conditionsOf(
      states.find((each) => each === state),
      leadCodes.find((each) => each === code),
    );
    return {
      wheres: standing.map((stands) => [...leadsOnly, stands, ...conditions, ...changed, ...inCopy].filter(Boolean).join(' AND ') + only),
      isRare: Boolean(email ?? phone ?? patientId ?? code ?? upstream ?? changedSince ?? restored) || !commonStates.includes(state),
    };
  }

  const spanOf = ({ since, until }: Filter) => ({
    from: since ? Date.parse(since) - 1 : beginning,
    until: until ? Date.parse(until) : Date.now() + aheadMs,
  });

  async function page(filter: Filter, wanted = usualLimit): Promise<JsonObject> {
    const limit = Math.min(Math.max(wanted, 1), mostLimit);
    const cursor = filter.cursor ? readCursor(filter.cursor) : undefined;
    const { from, until } = spanOf(filter);
    // Leads of the last page may have started in the same millisecond as its last one: they are left out.
    const isLeft = (run: Aged) => !cursor || byAge(run, cursorRun(cursor)) > 0;
    // One more than asked for tells whether there is a next page.
    const upTo = cursor ? Math.min(cursor.at + 1, until) : until;
    const left = await legible((only) => newest(searchFor(filter, only), from, upTo, isLeft, limit + 1));
    const page = left.slice(0, limit);
    const last = page.at(-1);
    return {
      success: true,
      count: page.length,
      leads: page.map((run) => summary(run, copiedAt)),
      ...(left.length > limit && last && { nextCursor: writeCursor(last) }),
    };
  }

  function runsIn(state: State, filter: Filter, isLeft: (run: Aged) => boolean = () => true): Promise<WorkflowExecutionInfo[]> {
    const { from, until } = spanOf(filter);
    return legible((only) => newest(searchFor(filter, only, state), from, until, isLeft, Infinity));
  }

  async function idsIn(state: State, { leadIds, ...filter }: BulkFilter): Promise<string[]> {
    await search.caughtUp();
    const named = leadIds && new Set(leadIds);
    const ids = (await runsIn(state, filter)).map(leadIdOfRun).toReversed();
    return named ? ids.filter((id) => named.has(id)) : ids;
  }

  /**
   * Counts leads by state in the index without reading them. If there are redrives, the failed ones are read to leave out the redriven; if
   * runs were ended outside of Leadgate, to leave out those that were reset.
   *
   * Each count is a question of its own, and leads change their state between two of them. So that none counts twice, the ended ones are
   * counted first, because a lead never leaves such a state; then all leads at once. Those of them that had not ended are divided among the
   * open states, and the rest is running.
   */
  async function counts(filter: Filter): Promise<JsonObject> {
    const { since, until } = filter;
    const stretch = [since && `${timeName} >= ${quoted(since)}`, until && `${timeName} <= ${quoted(until)}`].filter(Boolean);
    const inState = (state: State, narrowed = filter) =>
      searchFor(narrowed, '', state).wheres.map((where) => [where, ...stretch].join(' AND '));
    const withTrouble = (state: State, trouble: LeadTrouble) => {
      const narrowed = narrowedTo(filter, trouble);
      return narrowed ? inState(state, narrowed) : [];
    };
    const deadline = Date.now() + askDeadlineMs;
    const countEach = (some: readonly State[]) =>
      Promise.all(some.map(async (state) => [state, await countOf(inState(state), deadline)] as const));
    const over = await countEach(overStates);
    const [all, ...standing] = await Promise.all([
      countOf(
        searchFor(filter, '', undefined, anyState).wheres.map((where) => [where, ...stretch].join(' AND ')),
        deadline,
      ),
      ...standingStates.map(async (state) => [state, await countOf(inState(state), deadline)] as const),
    ]);
    // A redrive that began before all were counted is counted here, too, so that its lead is not also told as failed.
    const [redrives, ended] = await Promise.all([
      search.count(`WorkflowId STARTS_WITH ${quoted('lead-r')}`, deadline),
      countOf(withTrouble('failed', { code: 'RUN_ENDED' }), deadline),
    ]);
    const found = new Map([...over, ...shared(all - sumOf(over), standing)]);
    const told = Object.fromEntries(states.map((state) => [state, found.get(state) ?? 0])) as Record<State, number>;
    const key = [...inState('failed'), told.failed, redrives, ended].join(' ');
    const stillFailed = told.failed > 0 && redrives + ended > 0 ? await failedNow(key, filter) : undefined;
    if (stillFailed) told.failed = Math.max(0, told.failed - stillFailed.redriven);
    if (filter.groups !== 'true') return { success: true, counts: told };
    const groups = troubleStates.map(async (state) => {
      const countWith = (trouble: LeadTrouble) => countOf(withTrouble(state, trouble), deadline);
      const ofState =
        told[state] === 0 ? [] : state === 'failed' && stillFailed ? stillFailed.groups : await countGroups(told[state], countWith);
      return ofState.map((group) => ({ state, ...group }));
    });
    return { success: true, counts: told, groups: (await Promise.all(groups)).flat().toSorted((one, other) => other.count - one.count) };
  }

  /**
   * The failed leads without a later attempt, and the number of those with one. `cacheKey` changes when one more lead fails or is redriven. An erasure can bring an old key
   * back, so a cached count is used for a moment only.
   */
  async function failedNow(cacheKey: string, filter: Filter): Promise<Failed> {
    failed.prune();
    const kept = failed.get(cacheKey);
    if (kept) return kept.read;
    const seen = new Set<string>();
    const read = runsIn('failed', filter, ({ runId }) => Boolean(seen.add(runId))).then((runs) => ({
      groups: groupsOf(runs),
      redriven: seen.size - runs.length,
    }));
    failed.set(cacheKey, { at: Date.now(), read });
    read.catch(() => failed.delete(cacheKey));
    return read;
  }

  /** Waits until the index shows every answer that this process has given, then reads. */
  const after =
    <A extends unknown[], R>(read: (...asked: A) => Promise<R>) =>
    async (...asked: A): Promise<R> => {
      await search.caughtUp();
      return read(...asked);
    };
  return { page: after(page), idsIn, counts: after(counts) };
}

/** The filter for leads that also have this trouble. Undefined if it asks for another. */
function narrowedTo(filter: Filter, { code, upstream = filter.upstream as LeadTrouble['upstream'] }: LeadTrouble): Filter | undefined {
  const isOther = (filter.code ?? code) !== code || (filter.upstream ?? upstream) !== upstream;
  return isOther ? undefined : { ...filter, code, upstream };
}

/** Leaves out failed runs that a redrive has followed, and those that Temporal's own tools have reset. */
async function newestOnly(search: Search, runs: readonly WorkflowExecutionInfo[]): Promise<WorkflowExecutionInfo[]> {
  const redriven = await redrivenAmong(
    search.list,
    runs.filter((run) => stateOf(run) === 'failed'),
  );
  const newest = runs.filter((run) => !redriven.has(run));
  const kept = await inGroups(newest, describedAtOnce, async (run) => !wasEndedOutside(run) || !(await search.wasReset(run)));
  return newest.filter((_, at) => kept[at]);
}

type Aged = Pick<WorkflowExecutionInfo, 'startTime' | 'runId'>;

const byAge = (one: Aged, other: Aged): number =>
  other.startTime.getTime() - one.startTime.getTime() || (one.runId < other.runId ? 1 : one.runId > other.runId ? -1 : 0);

const cursorRun = ({ at, runId }: Cursor): Aged => ({ startTime: new Date(at), runId });
const writeCursor = ({ startTime, runId }: Aged): string => Buffer.from(`${startTime.getTime()} ${runId}`).toString('base64url');

function readCursor(written: string): Cursor {
  const [, at, runId] = /^(\d{1,15}) ([0-9a-f-]{36})$/.exec(Buffer.from(written, 'base64url').toString()) ?? [];
  if (at && runId) return { at: Number(at), runId };
  throw wrongCursor();
}

function summary(run: WorkflowExecutionInfo, copiedAt?: number): JsonObject {
  const attribute = (name: string) => run.searchAttributes[name]?.[0];
  return {
    leadId: leadIdOfRun(run),
    flow: attribute('LeadFlow'),
    state: stateOf(run),
    step: attribute('LeadStep'),
    ...troubleIn(run),
    site: shownSite(attribute('LeadSite')),
    studyId: attribute('LeadStudy'),
    protocol: attribute('LeadProtocol'),
    createdAt: receivedAt(run),
    updatedAt: updatedAt(run).toISOString(),
    restored: openInCopy(run, copiedAt),
  };
}

/** Until the run has set a time, the engine's close or start time. */
const updatedAt = (run: WorkflowExecutionInfo): Date => changedAt(run) ?? run.closeTime ?? run.startTime;
