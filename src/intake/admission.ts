/** How much is taken in: refused early, with Retry-After and nothing started, rather than late. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { openLeads } from '../leads/open-leads';
import { within } from '../temporal/deadline';
import type { Run } from './start';

export interface Admission {
  /** What `start` gives. Throws NotAdmitted where the door is closed for now, and nothing is started; for a bulk it closes earlier. */
  admit<R extends Run | undefined>(caller: string, bulk: boolean, start: () => Promise<R>): Promise<Admitted<R>>;
}

export interface Admitted<R> {
  readonly run: R;
  /** To be said when the run has ended: it makes room for the next. */
  readonly ended: () => void;
}

/** The door is closed: nothing new is started. */
export class NotAdmitted extends ApiError {}

/** The engine is asked this often at most. */
const countEveryMs = 1_000;
const countDeadlineMs = 1_000;
const fullRetryAfterS = 5;
/** The engine's index is behind its runs by less than this: what began or ended here in that time is counted here, and not there. */
const indexLagMs = 5_000;
/** The other half of the room is for leads that come in one by one. */
const bulkShare = 0.5;

export function createAdmission(client: Client, config: Config): Admission {
  const all = perSecond(config.STARTS_PER_S);
  const each = new Map<string, () => boolean>();
  const open = createOpenCount(client, openLeads(config.TASK_QUEUE));

  return {
    async admit(caller, bulk, start) {
      const own = each.get(caller) ?? perSecond(config.STARTS_PER_S_PER_CALLER);
      each.set(caller, own);
      if (!own() || !all())
        throw new NotAdmitted('RATE_LIMITED', 'Too many requests a second: nothing was started', { headers: { 'Retry-After': '1' } });
      await open.refresh();
      if (open.now() >= config.OPEN_LEADS_MAX * (bulk ? bulkShare : 1)) {
        throw new NotAdmitted('NOT_ACCEPTED', 'Too many leads are under way: nothing was started', {
          headers: { 'Retry-After': String(fullRetryAfterS) },
        });
      }
      return open.enter(start);
    },
  };
}

/** The open leads of all: those of the last seconds as this process knows them, the others as the engine's index has them. */
function createOpenCount(client: Client, query: string) {
  const recent = new Map<string, { readonly at: number; readonly isOpen: boolean }>();
  let entering = 0;
  let ofOthers = 0;
  let countedAt = 0;

  async function refresh(): Promise<void> {
    const at = Date.now();
    if (at - countedAt <= countEveryMs) return;
    countedAt = at;
    const since = at - indexLagMs;
    const ours = [...recent].filter(([, run]) => run.at >= since).map(([runId]) => `'${runId}'`);
    const others = ours.length ? `${query} AND RunId NOT IN (${ours.join(', ')})` : query;
    // Not to be told is no reason to refuse: the start itself says when the engine is away.
    const found = await within(client, at + countDeadlineMs, () => client.workflow.count(others)).catch(() => undefined);
    if (!found) return;
    ofOthers = found.count;
    for (const [runId, run] of recent) if (run.at < since) recent.delete(runId);
  }

  async function enter<R extends Run | undefined>(start: () => Promise<R>): Promise<Admitted<R>> {
    entering++;
    const run = await start().finally(() => entering--);
    // A call is no lead, and a run that was there before is counted already.
    if (!run?.isNew || !run.leadId) return { run, ended: () => undefined };
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

/** Whether one more fits into this second's share: a bucket that fills steadily and holds one second. */
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
