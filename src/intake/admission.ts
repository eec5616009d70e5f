/**
 * Limits starts per second in total, starts per second for each caller, and the number of open leads. A request over a limit starts nothing
 * and gets an error with Retry-After.
 *
 * Parked leads do not count towards OPEN_LEADS_MAX. With several callers, one caller may use at most half of it. The leads that wait for one
 * stopped (held or paused) upstream also use at most half, so they cannot block leads to other upstreams.
 */
import type { Client } from '@temporalio/client';
import { sendersIn } from '../config/callers';
import type { Config } from '../config/config';
import { ApiError } from '../contract/errors';
import { isStoppedAt, type Destination, type UpstreamName } from '../domain/upstreams';
import type { KeyRing } from '../keys/ring';
import { stoppedDestinations } from '../leads/holds';
import { openLeadsAtWork, openSentBy, openWaitingFor } from '../leads/lead-queries';
import { countEveryMs, createOpenLeads, type AdmittedRun } from './open-leads';
import { createRateLimit, type Rate, type RateLimit } from './rate-limit';
import { senderOf } from './run-options';
import type { RequestRun } from './start';

/** The kind of a request. `bulk` is a lead from a file or a bulk order. Calls do not count towards OPEN_LEADS_MAX. */
export type RequestKind = 'lead' | 'bulk' | 'call';

export interface Admission {
  /** Calls `start` and returns its run. Throws NotAdmitted without calling `start` if a limit is reached. */
  admit<R extends RequestRun | undefined>(
    caller: string,
    kind: RequestKind,
    start: () => Promise<R>,
    goesTo?: readonly Destination[],
  ): Promise<AdmittedRun<R>>;
  /** Returns the rates that limit this caller's starts: of all callers together, and of this one. Empty if none is set. */
  rates(caller: string): readonly NamedRate[];
  /** Returns why every new single lead would be refused; undefined if there is room. */
  whyFull(): Promise<string | undefined>;
}

export interface NamedRate extends Rate {
  readonly name: 'service' | 'caller';
}

/** Thrown if a limit refuses a request. Nothing was started. */
export class NotAdmitted extends ApiError {}

const fullRetryAfterS = 5;
/** The share of OPEN_LEADS_MAX that each kind of lead may use. The upper half is reserved for single leads. */
const shares = { lead: 1, bulk: 0.5 } as const;
/** The share of OPEN_LEADS_MAX for the leads of one caller, and for the leads that wait for one stopped upstream. */
const partialShare = 0.5;

const fullMessage = 'Too many leads are open';

const notAdmitted = (why: string): NotAdmitted =>
  new NotAdmitted('NOT_ACCEPTED', `${why}: nothing was started`, { headers: { 'Retry-After': String(fullRetryAfterS) } });

export function createAdmission(client: Client, config: Config, keys: Pick<KeyRing, 'hash'>): Admission {
  const { TASK_QUEUE: taskQueue, OPEN_LEADS_MAX: max } = config;
  const half = max * partialShare;
  const totalLimit = createRateLimit(config.STARTS_PER_S);
  const callerLimits = new Map<string, RateLimit>();
  /** The limits that are set, the narrowest first. */
  function limitsOf(caller: string): readonly (readonly [name: NamedRate['name'], limit: RateLimit])[] {
    const own = callerLimits.get(caller) ?? createRateLimit(config.STARTS_PER_S_PER_CALLER);
    callerLimits.set(caller, own);
    return [
      ...(config.STARTS_PER_S_PER_CALLER > 0 ? [['caller', own] as const] : []),
      ...(config.STARTS_PER_S > 0 ? [['service', totalLimit] as const] : []),
    ];
  }
  const open = createOpenLeads(client);
  const total = open.counting(openLeadsAtWork(taskQueue));
  const stopped = createStoppedDestinations(client, taskQueue);
  const areMany = config.GATEWAY_API_KEYS !== undefined && sendersIn(config.GATEWAY_API_KEYS).size > 1;

  const ofSender = (sender: number) => open.counting(openSentBy(taskQueue, sender), (way) => way.sender === sender);
  const ofUpstream = (name: UpstreamName) =>
    open.counting(openWaitingFor(taskQueue, name), ({ goesTo }) => goesTo.some(({ upstream }) => upstream === name));

  const stoppedUpstreams = () => [...new Set(stopped.now().map(({ upstream }) => upstream))].map(ofUpstream);

  /** Refreshes the counts of each stopped upstream and of the sender. They matter only while at least half of OPEN_LEADS_MAX is in use. */
  async function refreshShares(sender?: number): Promise<void> {
    await stopped.refresh();
    const needed = [...stoppedUpstreams(), ...(sender === undefined ? [] : [ofSender(sender)])];
    await Promise.all(needed.map((count) => count.refresh()));
  }

  /** Returns how much of OPEN_LEADS_MAX is in use. The leads that wait for one stopped upstream count for at most half of it. */
  function countUsed(): number {
    const found = total.now();
    if (found < half) return found;
    const beyond = stoppedUpstreams().reduce((sum, count) => sum + Math.max(0, count.now() - half), 0);
    return Math.max(half, found - beyond);
  }

  /** Throws if there is no room for one more lead. */
  function assertRoom(kind: keyof typeof shares, sender: number | undefined, goesTo: readonly Destination[]): void {
    if (countUsed() >= max * shares[kind]) throw notAdmitted(fullMessage);
    if (total.now() < half) return;
    if (sender !== undefined && ofSender(sender).now() >= half) throw notAdmitted('Too many leads of this caller are open');
    const filled = goesTo.find((one) => isStoppedAt(stopped.now(), one) && ofUpstream(one.upstream).now() >= half);
    if (filled) throw notAdmitted(`${filled.upstream} is held or paused, and the leads that wait for it use their half of OPEN_LEADS_MAX`);
  }

  return {
    async admit(caller, kind, start, goesTo = []) {
      if (!limitsOf(caller).every(([, limit]) => limit.take()))
        throw new NotAdmitted('RATE_LIMITED', 'Too many requests per second: nothing was started', { headers: { 'Retry-After': '1' } });
      if (kind === 'call') return { run: await start(), release: () => undefined };
      const sender = areMany ? senderOf(keys, caller) : undefined;
      await total.refresh();
      // Below half of OPEN_LEADS_MAX only the total matters.
      if (total.now() >= half) await refreshShares(sender);
      // There is no await between this check and `enter`, so no other request can take the room in between.
      assertRoom(kind, sender, goesTo);
      return open.enter({ sender, goesTo }, start);
    },

    rates: (caller) => limitsOf(caller).map(([name, limit]) => ({ name, ...limit.now() })),

    async whyFull() {
      await total.refresh();
      if (total.now() >= half) await refreshShares();
      return countUsed() >= max ? fullMessage : undefined;
    },
  };
}

/** Caches the held and paused destinations. If the engine does not answer, the last list stays in use. */
function createStoppedDestinations(client: Client, taskQueue: string) {
  let known: readonly Destination[] = [];
  let readAt = 0;
  let refreshing: Promise<void> | undefined;
  const read = async () => {
    readAt = Date.now();
    known = await stoppedDestinations(client, taskQueue).catch(() => known);
  };
  return {
    async refresh() {
      if (Date.now() - readAt > countEveryMs) refreshing ??= read().finally(() => (refreshing = undefined));
      await refreshing;
    },
    now: () => known,
  };
}
