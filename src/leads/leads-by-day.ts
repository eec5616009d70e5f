/**
 * Counts the leads that were received on each day, in UTC, by their current state. A lead counts once: on the day of its first attempt, in
 * the state of its newest.
 */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { mostDays } from '../contract/leads-by-day';
import { searchable } from '../domain/found-by';
import type { JsonObject, State } from '../domain/lead';
import type { KeyRing } from '../keys/ring';
import { BoundedMap } from '../lib/bounded-map';
import { inGroups } from '../lib/in-groups';
import { newestByLead } from './attempts';
import { conditionsOf } from './lead-queries';
import { createDecryptableReader } from './decryptable';
import { receivedAt, stateOf } from './runs';
import type { Search } from './search';

const dayMs = 86_400_000;
const daysAtOnce = 4;
/** The most cached counts of past days. A cached day costs one query. */
const mostKept = 500;

/** The states with their own count, most frequent first. Leads in any other state count as open. */
const countedStates = ['delivered', 'skipped', 'failed', 'parked', 'discarded'] as const satisfies readonly State[];
type CountedState = (typeof countedStates)[number];

export type Day = { readonly day: string; readonly leads: number } & Readonly<Record<CountedState | 'open', number>>;

export interface LeadsByDay {
  /** Returns the last `days` days, up to today. Days before the engine's retention are left out. */
  read(request: { readonly flow?: string; readonly days?: number }): Promise<JsonObject>;
}

const dayOf = (moment: string): string => moment.slice(0, 10);
const quoted = (ms: number): string => `'${new Date(ms).toISOString()}'`;
const isCountedState = (state: State | undefined): state is CountedState => countedStates.some((each) => each === state);

export function createLeadsByDay(
  search: Pick<Search, 'waitUntilIndexed' | 'count' | 'list'>,
  keys: KeyRing,
  retentionH: () => Promise<number>,
  now: () => number = Date.now,
): LeadsByDay {
  const readDecryptable = createDecryptableReader(keys);
  const ended = new BoundedMap<string, Day>(mostKept);

  async function countDay(where: string, start: number, end: number): Promise<Day> {
    const until = Math.min(start + dayMs, end);
    const query = `${where} AND WorkflowId NOT STARTS_WITH 'lead-r' AND ExecutionTime >= ${quoted(start)} AND ExecutionTime < ${quoted(until)}`;
    const leads = await search.count(query);
    // First attempts of a past day do not change, but for an erasure, which changes their number.
    const known = ended.get(query);
    if (known?.leads === leads) return known;
    const counts = { delivered: 0, skipped: 0, failed: 0, parked: 0, discarded: 0 };
    let open = leads;
    for (const state of countedStates) {
      if (open <= 0) break;
      for (const condition of conditionsOf(state)) counts[state] += await search.count(`${query} AND ${condition}`);
      open -= counts[state];
    }
    const day = { day: dayOf(new Date(start).toISOString()), leads, ...counts, open: Math.max(0, open) };
    if (until < end && day.open + day.parked === 0) ended.set(query, day);
    return day;
  }

  /** Returns the later attempts of leads that were received since then. */
  async function redrives(where: string, since: number): Promise<WorkflowExecutionInfo[]> {
    const query = `${where} AND WorkflowId STARTS_WITH 'lead-r' AND ExecutionTime >= ${quoted(since)}`;
    return (await search.count(query)) === 0 ? [] : readDecryptable((only) => search.list(query + only));
  }

  return {
    async read({ flow, days = mostDays }) {
      await search.waitUntilIndexed();
      const where = flow ? `LeadFlow = '${searchable(flow)}'` : 'LeadFlow IS NOT NULL';
      const end = now();
      const today = Math.floor(end / dayMs) * dayMs;
      const kept = Math.max(1, Math.floor((await retentionH()) / 24));
      const count = Math.min(days, kept, mostDays);
      const starts = Array.from({ length: count }, (_, at) => today - (count - 1 - at) * dayMs);
      const firstAttempts = await inGroups(starts, daysAtOnce, (start) => countDay(where, start, end));
      return { success: true, days: withRedrives(firstAttempts, await redrives(where, starts[0] ?? today)) };
    },
  };
}

/** Counts each redriven lead in the state of its newest attempt, instead of as failed, on the day of its first attempt. */
export function withRedrives(days: readonly Day[], redrives: readonly WorkflowExecutionInfo[]): Day[] {
  const byDay = new Map(days.map((each) => [each.day, each]));
  for (const run of newestByLead(redrives).values()) {
    const day = byDay.get(dayOf(receivedAt(run)));
    if (!day || day.failed === 0) continue;
    const failed = { ...day, failed: day.failed - 1 };
    const state = stateOf(run);
    const counted = isCountedState(state) ? state : 'open';
    byDay.set(day.day, { ...failed, [counted]: failed[counted] + 1 });
  }
  return [...byDay.values()];
}
