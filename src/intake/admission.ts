/**
 * Limits the intake in three ways: starts per second in total, starts per second of each caller, and the number of open leads. A request over
 * a limit gets an error with Retry-After, and nothing is started.
 *
 * Parked leads do not count towards OPEN_LEADS_MAX. If there are several callers, the leads of one may take at most half of it. An upstream
 * that is held or paused is stopped: the leads that wait for it also take at most half, so it cannot block the leads to the others.
 */
import type { Client } from '@temporalio/client';
import { sendersIn } from '../config/callers';
import type { Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { isStoppedAt, type Destination, type UpstreamName } from '../domain/upstreams';
import type { KeyRing } from '../keys/ring';
import { stoppedDestinations } from '../leads/holds';
import { openLeadsAtWork, openSentBy, openWaitingFor } from '../leads/lead-queries';
import { countEveryMs, createOpenLeads, type Admitted } from './open-leads';
import { senderOf } from './run-options';
import type { Run } from './start';

/** The kind of a request. `one of many` is a lead of a file or of a bulk order. A call is no lead: it has no limit of open ones. */
export type Entrant = 'lead' | 'one of many' | 'call';

export interface Admission {
  /** Calls `start` and returns its run. Past a limit it throws NotAdmitted and does not call `start`. `goesTo`: what the lead is sent to. */
  admit<R extends Run | undefined>(
    caller: string,
    entrant: Entrant,
    start: () => Promise<R>,
    goesTo?: readonly Destination[],
  ): Promise<Admitted<R>>;
  /** Returns why the limit of open leads would refuse any new single lead, whatever its caller and destination; undefined if there is room. */
  whyFull(): Promise<string | undefined>;
}

/** Refused by a limit; nothing was started. */
export class NotAdmitted extends ApiError {}

const fullRetryAfterS = 5;
/** Each kind of lead is refused once this share of OPEN_LEADS_MAX is taken. The upper half is reserved for single leads. */
const shares = { lead: 1, 'one of many': 0.5 } as const;
/** The largest share of OPEN_LEADS_MAX for the leads of one caller, and for the leads that wait for one stopped upstream. */
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

  /** Refreshes the counts of each stopped upstream and of the sender. They matter only while at least half of OPEN_LEADS_MAX is taken. */
  async function refreshShares(sender?: number): Promise<void> {
    await stopped.refresh();
    const needed = [...keptUpstreams(), ...(sender === undefined ? [] : [ofSender(sender)])];
    await Promise.all(needed.map((count) => count.refresh()));
  }

  /** Returns how much of OPEN_LEADS_MAX is taken. The leads that wait for one stopped upstream count for at most half of it. */
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
      // Below half of OPEN_LEADS_MAX only the total matters.
      if (total.now() >= half) await refreshShares(sender);
      // There is no await between this check and `enter`, so no other request takes the place in between.
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

/** Caches the held and the paused destinations. If the engine does not answer, the last list stays in use. */
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

/** A token bucket that refills at `most` tokens a second and holds at most as many. It takes a token, or returns false. 0: no limit. */
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
