/**
 * Counts the open leads of the installation. The engine's index lags behind its runs, so leads that this process started or finished
 * recently are counted from memory.
 */
import type { Client } from '@temporalio/client';
import type { Destination } from '../domain/upstreams';
import { within } from '../temporal/ask';
import type { RequestRun } from './start';

export interface OpenLead {
  /** The hash of its caller's name; absent for a caller without a name. */
  readonly sender?: number;
  readonly goesTo: readonly Destination[];
}

export interface AdmittedRun<R> {
  readonly run: R;
  /** Makes room for the next lead. Call it when the run has ended or is parked. */
  readonly release: () => void;
}

/** Counts the leads of one kind. */
export interface LeadCount {
  /** Counts again if the last count is old. */
  refresh(): Promise<void>;
  now(): number;
}

export interface OpenLeads {
  /** `query` and `isOfKind` must select the same leads: the query in the index, the predicate among those in memory. */
  counting(query: string, isOfKind?: (lead: OpenLead) => boolean): LeadCount;
  enter<R extends RequestRun | undefined>(lead: OpenLead, start: () => Promise<R>): Promise<AdmittedRun<R>>;
}

/** The shortest time between two counts by the engine. */
export const countEveryMs = 1_000;
const countDeadlineMs = 1_000;
/**
 * The index lags behind its runs by less than this. Leads that this process started or finished within that time are counted from memory
 * and excluded from the engine's count.
 */
const countedLateMs = 5_000;
/** Counts that are older than this are not used, so they do not keep leads in memory. */
const keptMs = 10_000;

interface CountState {
  /** The leads that the engine counted. */
  others: number;
  /** Leads that this process started or finished since then are counted from memory. */
  since: number;
  countedAt: number;
  pending: Promise<void> | undefined;
  readonly isOfKind: (lead: OpenLead) => boolean;
}

interface RecentLead {
  readonly at: number;
  readonly isOpen: boolean;
  readonly lead: OpenLead;
}

export function createOpenLeads(client: Client): OpenLeads {
  const recent = new Map<string, RecentLead>();
  const entering = new Set<OpenLead>();
  const counts = new Map<string, CountState>();

  async function recount(query: string, counted: CountState): Promise<void> {
    const at = Date.now();
    const since = at - countedLateMs;
    counted.countedAt = at;
    const ours = [...recent].filter(([, run]) => run.at >= since).map(([runId]) => `'${runId}'`);
    const others = ours.length ? `${query} AND RunId NOT IN (${ours.join(', ')})` : query;
    // A failed count does not refuse the request: the start itself reports an unavailable engine.
    const found = await within(client, at + countDeadlineMs, () => client.workflow.count(others)).catch(() => undefined);
    if (!found) return;
    counted.others = found.count;
    counted.since = since;
    const oldest = Math.min(...[...counts.values()].map((each) => each.since).filter((each) => each > at - keptMs));
    for (const [runId, run] of recent) if (run.at < oldest) recent.delete(runId);
  }

  function counting(query: string, isOfKind: CountState['isOfKind'] = () => true): LeadCount {
    const counted = counts.get(query) ?? { others: 0, since: 0, countedAt: 0, pending: undefined, isOfKind };
    counts.set(query, counted);
    return {
      async refresh() {
        const isNew = counted.since === 0;
        if (Date.now() - counted.countedAt > countEveryMs)
          counted.pending ??= recount(query, counted).finally(() => (counted.pending = undefined));
        else if (!isNew) return;
        await counted.pending;
      },
      now() {
        const here = [...recent.values()].filter(({ at, isOpen, lead }) => isOpen && at >= counted.since && isOfKind(lead)).length;
        return counted.others + here + [...entering].filter(isOfKind).length;
      },
    };
  }

  async function enter<R extends RequestRun | undefined>(lead: OpenLead, start: () => Promise<R>): Promise<AdmittedRun<R>> {
    const mine = { ...lead };
    entering.add(mine);
    const run = await start().finally(() => entering.delete(mine));
    // A run that was attached to is counted already.
    if (!run?.isNew) return { run, release: () => undefined };
    const { runId } = run;
    recent.set(runId, { at: Date.now(), isOpen: true, lead });
    return { run, release: () => release(runId, lead) };
  }

  function release(runId: string, lead: OpenLead): void {
    const at = recent.get(runId)?.at ?? 0;
    for (const counted of counts.values()) if (at < counted.since && counted.isOfKind(lead)) counted.others--;
    recent.set(runId, { at: Date.now(), isOpen: false, lead });
  }

  return { counting, enter };
}
