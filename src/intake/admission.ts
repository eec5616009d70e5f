/**
 * Limits the intake: starts per second, in all and for each caller, and open leads. A request past a limit is refused with Retry-After before
 * anything is started.
 *
 * Parked leads take no room. One caller's leads take at most half of it, and so do those that wait for one upstream while it is held or
 * paused: one that stands still keeps no other from being served.
 */
import type { Client } from '@temporalio/client';
import { sendersIn } from '../config/callers';
import type { Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { isStoppedAt, type Destination, type UpstreamName } from '../domain/hold';
import type { KeyRing } from '../keys/ring';
import { stoppedDestinations } from '../leads/holds';
import { openLeadsAtWork, openSentBy, openWaitingFor } from '../leads/lead-queries';
import { countEveryMs, createOpenLeads, type Admitted } from './open-leads';
import { senderOf } from './run-options';
import type { Run } from './start';

/** Asks to start: a single lead, a lead of a file or an order, or a call, which is no lead. */
export type Entrant = 'lead' | 'one of many' | 'call';

export interface Admission {
  /** Calls `start` and returns its run. Past a limit it throws NotAdmitted and does not call `start`. `goesTo`: what the lead is sent to. */
  admit<R extends Run | undefined>(
    caller: string,
    entrant: Entrant,
    start: () => Promise<R>,
    goesTo?: readonly Destination[],
  ): Promise<Admitted<R>>;
  /** The reason why no single lead would be taken, whoever sent it and wherever it went; undefined if there is none. */
  whyFull(): Promise<string | undefined>;
}

/** Refused by a limit; nothing was started. */
export class NotAdmitted extends ApiError {}

const fullRetryAfterS = 5;
/** A lead is refused when all open leads fill this share of OPEN_LEADS_MAX. So half is kept for single leads. */
const shares = { lead: 1, 'one of many': 0.5 } as const;
/** The most that one caller's leads take of it, and the most that those take that wait for one held or paused upstream. */
const ofOne = 0.5;

const full = 'Too many leads are under way';

const refused = (why: string): NotAdmitted =>
  new NotAdmitted('NOT_ACCEPTED', `${why}: nothing was started`, { headers: { 'Retry-After': String(fullRetryAfterS) } });

export function createAdmission(client: Client, config: Config, keys: Pick<KeyRing, 'hash'>): Admission {
  const { TASK_QUEUE: taskQueue, OPEN_LEADS_MAX: most } = config;
  const half = most * ofOne;
  const all = perSecond(config.STARTS_PER_S);
  const each = new Map<string, () => boolean>();
  const open = createOpenLeads(client);
  const total = open.counting(openLeadsAtWork(taskQueue));
  const stopped = createStopped(client, taskQueue);
  const areMany = config.GATEWAY_API_KEYS !== undefined && sendersIn(config.GATEWAY_API_KEYS).size > 1;

  const ofSender = (sender: number) => open.counting(openSentBy(taskQueue, sender), (way) => way.sender === sender);
  const ofUpstream = (name: UpstreamName) =>
    open.counting(openWaitingFor(taskQueue, name), ({ goesTo }) => goesTo.some(({ upstream }) => upstream === name));

  const keptUpstreams = () => [...new Set(stopped.now().map(({ upstream }) => upstream))].map(ofUpstream);

  /** Asks for what counts from half of the room on. */
  async function refreshShares(sender?: number): Promise<void> {
    await stopped.refresh();
    const needed = [...keptUpstreams(), ...(sender === undefined ? [] : [ofSender(sender)])];
    await Promise.all(needed.map((count) => count.refresh()));
  }

  /** The leads that take room: of those that a held or paused upstream keeps, not more than their half. */
  function taken(): number {
    const found = total.now();
    if (found < half) return found;
    const beyond = keptUpstreams().reduce((sum, count) => sum + Math.max(0, count.now() - half), 0);
    return Math.max(half, found - beyond);
  }

  /** Throws if there is no room for one more. */
  function mustFit(entrant: keyof typeof shares, sender: number | undefined, goesTo: readonly Destination[]): void {
    if (taken() >= most * shares[entrant]) throw refused(full);
    if (total.now() < half) return;
    if (sender !== undefined && ofSender(sender).now() >= half) throw refused('Too many leads of this caller are under way');
    const filled = goesTo.find((one) => isStoppedAt(stopped.now(), one) && ofUpstream(one.upstream).now() >= half);
    if (filled) throw refused(`${filled.upstream} is held or paused, and the leads that wait for it fill their half of the places`);
  }

  return {
    async admit(caller, entrant, start, goesTo = []) {
      const own = each.get(caller) ?? perSecond(config.STARTS_PER_S_PER_CALLER);
      each.set(caller, own);
      if (!own() || !all())
        throw new NotAdmitted('RATE_LIMITED', 'Too many requests a second: nothing was started', { headers: { 'Retry-After': '1' } });
      if (entrant === 'call') return { run: await start(), left: () => undefined };
      const sender = areMany ? senderOf(keys, caller) : undefined;
      await total.refresh();
      // Below half nothing but the total counts. From this look to `enter` nothing is waited for: no other comes in between.
      if (total.now() >= half) await refreshShares(sender);
      mustFit(entrant, sender, goesTo);
      return open.enter({ sender, goesTo }, start);
    },

    async whyFull() {
      await total.refresh();
      if (total.now() >= half) await refreshShares();
      return taken() >= most ? full : undefined;
    },
  };
}

/** The held and the paused destinations. While the engine cannot be asked, those known before. */
function createStopped(client: Client, taskQueue: string) {
  let known: readonly Destination[] = [];
  let askedAt = 0;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    askedAt = Date.now();
    known = await stoppedDestinations(client, taskQueue).catch(() => known);
  };
  return {
    async refresh() {
      if (Date.now() - askedAt > countEveryMs) asking ??= ask().finally(() => (asking = undefined));
      await asking;
    },
    now: () => known,
  };
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
