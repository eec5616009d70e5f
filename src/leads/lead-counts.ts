/** Counts the leads of a filter by state; those with trouble also by error code and upstream. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { openStates, overStates, states, troubleStates, type JsonObject, type LeadTrouble, type State } from '../domain/lead';
import { BoundedMap } from '../lib/bounded-map';
import { askDeadlineMs } from '../temporal/ask';
import { quoted, timeName, type BuildQuery, type Filter } from './lead-filter';
import { countGroups, groupsOf, type TroubleGroup } from './lead-groups';
import { countOf, type StartedRun } from './newest-leads';
import type { Search } from './search';

/** The most cached groups of failed leads. */
const groupsKept = 100;
const groupsKeptMs = 10_000;

interface FailedLeads {
  readonly groups: readonly TroubleGroup[];
  readonly redriven: number;
}

type StateCounts = readonly (readonly [State, number])[];

const sumOf = (counted: StateCounts): number => counted.reduce((sum, [, count]) => sum + count, 0);

/** The open states in which a lead waits. */
const waitingStates = openStates.filter((state) => state !== 'running');

/** Divides the open leads among these states, at most as many as were counted in each. The rest is running. */
function divideOpen(open: number, counted: StateCounts): StateCounts {
  let left = Math.max(0, open);
  const parts = counted.map(([state, count]): StateCounts[number] => {
    const part = Math.min(count, left);
    left -= part;
    return [state, part];
  });
  return [...parts, ['running', left]];
}

/** Matches every lead. The engine's database can use its index of the state for it. */
const anyState = `LeadState IN (${states.map(quoted).join(', ')})`;

/** Returns the newest runs of the failed leads that the filter matches. `isIncluded` is called with every failed run. */
type FailedRuns = (filter: Filter, isIncluded: (run: StartedRun) => boolean) => Promise<WorkflowExecutionInfo[]>;

export function createLeadCounts(
  search: Pick<Search, 'count'>,
  queryOf: BuildQuery,
  failedRuns: FailedRuns,
): (filter: Filter) => Promise<JsonObject> {
  const failed = new BoundedMap<string, { readonly at: number; readonly read: Promise<FailedLeads> }>(
    groupsKept,
    ({ at }) => at < Date.now() - groupsKeptMs,
  );

  /**
   * Counts leads by state in the index without reading them. Failed leads are read only if there are redrives, to leave out the redriven
   * ones, or if runs were ended outside of Leadgate, to leave out those that were reset.
   *
   * Each count is a separate query, and leads change their state between two queries. So that no lead counts twice, final states are counted
   * first, because a lead never leaves them, and then all leads at once. The difference is divided among the open states.
   */
  async function counts(filter: Filter): Promise<JsonObject> {
    const { since, until } = filter;
    const stretch = [since && `${timeName} >= ${quoted(since)}`, until && `${timeName} <= ${quoted(until)}`].filter(Boolean);
    const inState = (state: State, narrowed = filter) =>
      queryOf(narrowed, '', state).wheres.map((where) => [where, ...stretch].join(' AND '));
    const withTrouble = (state: State, trouble: LeadTrouble) => {
      const narrowed = narrowedTo(filter, trouble);
      return narrowed ? inState(state, narrowed) : [];
    };
    const deadline = Date.now() + askDeadlineMs;
    const countEach = (some: readonly State[]) =>
      Promise.all(some.map(async (state) => [state, await countOf(search, inState(state), deadline)] as const));
    const over = await countEach(overStates);
    const [all, ...waiting] = await Promise.all([
      countOf(
        search,
        queryOf(filter, '', undefined, anyState).wheres.map((where) => [where, ...stretch].join(' AND ')),
        deadline,
      ),
      ...waitingStates.map(async (state) => [state, await countOf(search, inState(state), deadline)] as const),
    ]);
    // Redrives are counted last, so that no redriven lead also counts as failed.
    const [redrives, ended] = await Promise.all([
      search.count(`WorkflowId STARTS_WITH ${quoted('lead-r')}`, deadline),
      countOf(search, withTrouble('failed', { code: 'RUN_ENDED' }), deadline),
    ]);
    const found = new Map([...over, ...divideOpen(all - sumOf(over), waiting)]);
    const byState = Object.fromEntries(states.map((state) => [state, found.get(state) ?? 0])) as Record<State, number>;
    const key = [...inState('failed'), byState.failed, redrives, ended].join(' ');
    const stillFailed = byState.failed > 0 && redrives + ended > 0 ? await failedNow(key, filter) : undefined;
    if (stillFailed) byState.failed = Math.max(0, byState.failed - stillFailed.redriven);
    if (filter.groups !== 'true') return { success: true, counts: byState };
    const groups = troubleStates.map(async (state) => {
      const countWith = (trouble: LeadTrouble) => countOf(search, withTrouble(state, trouble), deadline);
      const ofState =
        byState[state] === 0 ? [] : state === 'failed' && stillFailed ? stillFailed.groups : await countGroups(byState[state], countWith);
      return ofState.map((group) => ({ state, ...group }));
    });
    return { success: true, counts: byState, groups: (await Promise.all(groups)).flat().toSorted((one, other) => other.count - one.count) };
  }

  /**
   * Returns the failed leads without a later attempt, and the number of those with one. `cacheKey` changes when another lead fails or is
   * redriven. An erasure can restore an old key, so counts are cached for a short time only.
   */
  async function failedNow(cacheKey: string, filter: Filter): Promise<FailedLeads> {
    failed.prune();
    const kept = failed.get(cacheKey);
    if (kept) return kept.read;
    const seen = new Set<string>();
    const read = failedRuns(filter, ({ runId }) => Boolean(seen.add(runId))).then((runs) => ({
      groups: groupsOf(runs),
      redriven: seen.size - runs.length,
    }));
    failed.set(cacheKey, { at: Date.now(), read });
    read.catch(() => failed.delete(cacheKey));
    return read;
  }

  return counts;
}

/** Narrows the filter to leads with this trouble. Undefined if the filter names another. */
function narrowedTo(filter: Filter, { code, upstream = filter.upstream as LeadTrouble['upstream'] }: LeadTrouble): Filter | undefined {
  const isOther = (filter.code ?? code) !== code || (filter.upstream ?? upstream) !== upstream;
  return isOther ? undefined : { ...filter, code, upstream };
}
