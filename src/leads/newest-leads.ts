/** Finds the runs that match a query, newest first; of leads only the newest run of each. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { inGroups } from '../lib/in-groups';
import { findRedriven } from './attempts';
import { quotedTime, timeName, type LeadQuery } from './lead-filter';
import { stateOf, wasEndedOutside } from './runs';
import type { Search } from './search';

/** The first span of time that is searched. It holds a page of a busy gateway; an empty span costs one cheap count. */
const firstSpanMs = 60_000;
const widening = 4;
/** The most leads of one span that are read at once. */
const mostAtOnce = (limit: number) => Math.min(1_000, Math.max(100, 2 * limit));
/** Leads that are checked for a later attempt at once. */
const atOnce = 100;
/** Closed runs that are checked for a reset at once. */
const describedAtOnce = 16;

/** A span of time, in ms since 1970, without `from` and with `until`. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/** Returns at most `limit` runs of the span. `isIncluded` is false for those of earlier pages. */
export type NewestRuns = (
  question: LeadQuery,
  span: Span,
  isIncluded: (run: StartedRun) => boolean,
  limit: number,
) => Promise<WorkflowExecutionInfo[]>;

/** Each lead matches at most one of these conditions. */
export const countOf = async (search: Pick<Search, 'count'>, wheres: readonly string[], deadline?: number): Promise<number> =>
  (await Promise.all(wheres.map((where) => search.count(where, deadline)))).reduce((sum, count) => sum + count, 0);

export const createNewestLeads = (search: Search): NewestRuns => createNewestRuns(search, (runs) => newestOnly(search, runs));

type Keep = (runs: readonly WorkflowExecutionInfo[]) => Promise<readonly WorkflowExecutionInfo[]>;

/** `keep` leaves out runs that count for nothing, such as those of a lead's earlier attempts. */
export function createNewestRuns(search: Pick<Search, 'list' | 'count'>, keep: Keep = async (runs) => runs): NewestRuns {
  const listOf = async (wheres: readonly string[]): Promise<WorkflowExecutionInfo[]> =>
    (await Promise.all(wheres.map((where) => search.list(where)))).flat();

  /** Stops after `limit` runs. */
  async function keptOf(runs: readonly WorkflowExecutionInfo[], limit: number): Promise<WorkflowExecutionInfo[]> {
    const sorted = runs.toSorted(newestFirst);
    const found: WorkflowExecutionInfo[] = [];
    for (let at = 0; at < sorted.length && found.length < limit; at += atOnce) found.push(...(await keep(sorted.slice(at, at + atOnce))));
    return found;
  }

  /**
   * Finds the newest runs. The engine lists open runs before closed ones, not by time. So time is cut into spans, newest first, each wide
   * enough for a page and narrow enough to be sorted in memory.
   */
  async function newest(
    { wheres, isRare }: LeadQuery,
    { from, until }: Span,
    isIncluded: (run: StartedRun) => boolean,
    limit: number,
  ): Promise<WorkflowExecutionInfo[]> {
    const maxAtOnce = mostAtOnce(limit);
    if (isRare && (await countOf(search, wheres)) <= maxAtOnce) {
      const isWithin = ({ startTime }: StartedRun) => startTime.getTime() > from && startTime.getTime() <= until;
      const all = await listOf(wheres);
      return keptOf(
        all.filter((run) => isWithin(run) && isIncluded(run)),
        limit,
      );
    }
    const found: WorkflowExecutionInfo[] = [];
    const now = Date.now();
    for (let end = until, span = Math.max(firstSpanMs, until - now); end > from && found.length < limit;) {
      const start = Math.max(from, end - span);
      const queries = wheres.map((where) => `${where} AND ${timeName} > ${quotedTime(start)} AND ${timeName} <= ${quotedTime(end)}`);
      const count = await countOf(search, queries);
      if (count > maxAtOnce && span > 1) {
        // Narrows the span as if its leads were spread evenly: even a dense hour takes one or two steps.
        span = Math.ceil((span * maxAtOnce) / (2 * count));
        continue;
      }
      const stretch = count > 0 ? await listOf(queries) : [];
      found.push(...(await keptOf(stretch.filter(isIncluded), limit - found.length)));
      // The future is one span; widening begins with the past.
      span = end > now ? firstSpanMs : span * widening;
      end = start;
    }
    return found;
  }

  return newest;
}

/** Leaves out failed runs with a redrive, and runs that Temporal's own tools have reset. */
async function newestOnly(search: Search, runs: readonly WorkflowExecutionInfo[]): Promise<WorkflowExecutionInfo[]> {
  const redriven = await findRedriven(
    search.list,
    runs.filter((run) => stateOf(run) === 'failed'),
  );
  const newest = runs.filter((run) => !redriven.has(run));
  const kept = await inGroups(newest, describedAtOnce, async (run) => !wasEndedOutside(run) || !(await search.wasReset(run)));
  return newest.filter((_, at) => kept[at]);
}

export type StartedRun = Pick<WorkflowExecutionInfo, 'startTime' | 'runId'>;

export const newestFirst = (one: StartedRun, other: StartedRun): number =>
  other.startTime.getTime() - one.startTime.getTime() || (one.runId < other.runId ? 1 : one.runId > other.runId ? -1 : 0);
