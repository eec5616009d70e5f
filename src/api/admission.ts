/** How much is taken in: refused early, with Retry-After and nothing started, rather than late. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';
import { within } from './deadline';
import { ApiError } from './errors';
import { openLeads } from './open-leads';

export interface Admission {
  /** Throws where the door is closed for now; for a bulk it closes earlier. */
  admit(caller: string, bulk?: boolean): Promise<Place>;
}

/** What was let in, until one of these is called. */
export interface Place {
  /** A new lead that has ended. */
  ended(): void;
  /** Anything else that is over. */
  left(): void;
}

/** The door is closed: nothing new is started. */
export class NotAdmitted extends ApiError {}

/** The engine is asked this often at most; between two answers what was admitted here is added, and what ended here is taken off. */
const countEveryMs = 1_000;
const countDeadlineMs = 1_000;
const fullRetryAfterS = 5;
/** The engine's index is behind its runs by less than this: for so long it may count what has ended here. */
const indexLagMs = 5_000;
/** The other half of the room is for leads that come in one by one. */
const bulkShare = 0.5;

export function createAdmission(client: Client, config: Config): Admission {
  const all = perSecond(config.STARTS_PER_S);
  const each = new Map<string, () => boolean>();
  const open = openLeads(config.TASK_QUEUE);
  let counted = { open: 0, at: 0 };
  let endedAt: number[] = [];

  async function openNow(): Promise<number> {
    if (Date.now() - counted.at > countEveryMs) {
      const at = Date.now();
      counted = { open: counted.open, at };
      // Not to be told is no reason to refuse: the start itself says when the engine is away.
      const found = await within(client, at + countDeadlineMs, () => client.workflow.count(open)).catch(() => undefined);
      endedAt = endedAt.filter((time) => time > at - indexLagMs);
      if (found) counted = { open: found.count - endedAt.length, at };
    }
    return counted.open;
  }

  return {
    async admit(caller, bulk = false) {
      const own = each.get(caller) ?? perSecond(config.STARTS_PER_S_PER_CALLER);
      each.set(caller, own);
      if (!own() || !all())
        throw new NotAdmitted('RATE_LIMITED', 'Too many requests a second: nothing was started', { headers: { 'Retry-After': '1' } });
      if ((await openNow()) >= config.OPEN_LEADS_MAX * (bulk ? bulkShare : 1)) {
        throw new NotAdmitted('NOT_ACCEPTED', 'Too many leads are under way: nothing was started', {
          headers: { 'Retry-After': String(fullRetryAfterS) },
        });
      }
      counted.open++;
      const left = () => void counted.open--;
      return {
        left,
        ended() {
          left();
          endedAt.push(Date.now());
        },
      };
    },
  };
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
