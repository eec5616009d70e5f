/**
 * Limits the intake: starts per second, in all and for each caller, and open leads. A request past a limit is refused with Retry-After before
 * anything is started.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { openLeads } from '../leads/lead-queries';
import { within } from '../temporal/ask';
import type { Run } from './start';

/** Asks to start: a single lead, a lead of a file or an order, or a call, which is no lead. */
export type Entrant = 'lead' | 'one of many' | 'call';

export interface Admission {
  /** Calls `start` and returns its run. Past a limit it throws NotAdmitted and does not call `start`. */
  admit<R extends Run | undefined>(caller: string, entrant: Entrant, start: () => Promise<R>): Promise<Admitted<R>>;
}

export interface Admitted<R> {
  readonly run: R;
  /** Call it when the run has ended: this makes room for the next lead. */
  readonly ended: () => void;
}

/** Refused by a limit; nothing was started. */
export class NotAdmitted extends ApiError {}

/** Shortest time between two counts by the engine. */
const countEveryMs = 1_000;
const countDeadlineMs = 1_000;
const fullRetryAfterS = 5;
/**
 * The engine's index lags behind its runs by less than this. Leads that began or ended in this process within that time are counted here
 * and left out of the engine's count.
 */
const countedLateMs = 5_000;
/** A lead is refused when all open leads fill this share of OPEN_LEADS_MAX. So half is kept for single leads. */
const shares = { lead: 1, 'one of many': 0.5 } as const;

export function createAdmission(client: Client, config: Config): Admission {
  const all = perSecond(config.STARTS_PER_S);
  const each = new Map<string, () => boolean>();
  const open = createOpenCount(client, openLeads(config.TASK_QUEUE));

  return {
    async admit(caller, entrant, start) {
      const own = each.get(caller) ?? perSecond(config.STARTS_PER_S_PER_CALLER);
      each.set(caller, own);
      if (!own() || !all())
        throw new NotAdmitted('RATE_LIMITED', 'Too many requests a second: nothing was started', { headers: { 'Retry-After': '1' } });
      if (entrant === 'call') return { run: await start(), ended: () => undefined };
      await open.refresh();
      if (open.now() >= config.OPEN_LEADS_MAX * shares[entrant]) {
        throw new NotAdmitted('NOT_ACCEPTED', 'Too many leads are under way: nothing was started', {
          headers: { 'Retry-After': String(fullRetryAfterS) },
        });
      }
      return open.enter(start);
    },
  };
}

/** Counts the open leads of the whole installation: this process's recent ones from memory, all others by the engine's index. */
function createOpenCount(client: Client, query: string) {
  const recent = new Map<string, { readonly at: number; readonly isOpen: boolean }>();
  let entering = 0;
  let ofOthers = 0;
  let countedAt = 0;

  async function refresh(): Promise<void> {
    const at = Date.now();
    if (at - countedAt <= countEveryMs) return;
    countedAt = at;
    const since = at - countedLateMs;
    const ours = [...recent].filter(([, run]) => run.at >= since).map(([runId]) => `'${runId}'`);
    const others = ours.length ? `${query} AND RunId NOT IN (${ours.join(', ')})` : query;
    // A count that fails does not refuse the request: the start reports an engine that is away.
    const found = await within(client, at + countDeadlineMs, () => client.workflow.count(others)).catch(() => undefined);
    if (!found) return;
    ofOthers = found.count;
    for (const [runId, run] of recent) if (run.at < since) recent.delete(runId);
  }

  async function enter<R extends Run | undefined>(start: () => Promise<R>): Promise<Admitted<R>> {
    entering++;
    const run = await start().finally(() => entering--);
    // An attached run is counted already.
    if (!run?.isNew) return { run, ended: () => undefined };
    const { runId } = run;
    recent.set(runId, { at: Date.now(), isOpen: true });
    const ended = () => {
      if (!recent.has(runId)) ofOthers--;
      recent.set(runId, { at: Date.now(), isOpen: false });
    };
    return { run, ended };
  }

  const now = () => ofOthers + entering + [...recent.values()].filter(({ isOpen }) => isOpen).length;
  return { refresh, enter, now };
}

/** A token bucket that fills steadily and holds one second's share; true if one more fits. 0 means no limit. */
export function perSecond(most: number, now: () => number = Date.now): () => boolean {
  let tokens = most;
  let filledAt = now();
  return () => {
    if (most === 0) return true;
    const at = now();
    tokens = Math.min(most, tokens + ((at - filledAt) / 1000) * most);
    filledAt = at;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
