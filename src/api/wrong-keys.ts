/**
 * Throttles clients that guess gateway keys. A burst is more than 20 wrong keys from one address within a minute. After it, each further wrong
 * key from that address gets 429 until a pause ends. Each new burst doubles the pause, up to an hour. A right key is looked up first and
 * always passes, so nobody can lock out the callers behind an address.
 */
import { bySystem, type Trail } from '../audit/trail';
import { ApiError } from '../contract/errors';
import { BoundedMap } from '../lib/bounded-map';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';

const mostTries = 20;
const withinMs = 60_000;
const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;
/** If an address has no burst for this long after its last pause, its next pause is the first, short one again. */
const forgottenAfterMs = 3_600_000;
const mostAddresses = 10_000;
/** The alerting gets at most one signal in this time, however many bursts there are. */
const tellEveryMs = 60_000;

interface Tries {
  readonly since: number;
  readonly count: number;
  readonly pausedUntil: number;
  /** 0 before the first burst. */
  readonly pauseMs: number;
}

export interface WrongKeys {
  /** Counts a wrong key from this address. Throws 429 if there were too many. */
  count(remoteAddress: string | undefined): Promise<void>;
}

export interface WrongKeysNeeds {
  readonly trail: Pick<Trail, 'write'>;
  /** Signals the alerting that somebody guesses keys. */
  tell(): Promise<void>;
  readonly now?: () => number;
}

export function createWrongKeys({ trail, tell, now = Date.now }: WrongKeysNeeds): WrongKeys {
  const tries = new BoundedMap<string, Tries>(
    mostAddresses,
    ({ since, pausedUntil }) => now() > Math.max(since, pausedUntil) + forgottenAfterMs,
  );
  let toldAt = -Infinity;

  async function tellOf(address: string, pauseMs: number): Promise<void> {
    await trail
      .write({ who: bySystem, action: 'wrong keys', outcome: 'RATE_LIMITED', address, pauseS: pauseMs / 1000 })
      .catch((error: unknown) => {
        log.error('the audit trail cannot be written', { action: 'wrong keys', reason: messageOf(error) });
      });
    if (now() - toldAt < tellEveryMs) return;
    toldAt = now();
    tell().catch((error: unknown) => log.warn('could not signal the alerting about wrong keys', { reason: messageOf(error) }));
  }

  return {
    async count(remoteAddress) {
      const address = placeOf(remoteAddress);
      const before = tries.get(address);
      if (before && now() < before.pausedUntil) throw tooMany(before.pausedUntil - now());
      const next = counted(before, now());
      tries.set(address, next);
      if (next.pausedUntil <= now()) return;
      await tellOf(address, next.pauseMs);
      throw tooMany(next.pauseMs);
    },
  };
}

/** Returns the count of an address after one more wrong key. */
function counted(before: Tries | undefined, nowMs: number): Tries {
  const isForgotten = !before || nowMs - before.pausedUntil > forgottenAfterMs;
  const pauseMs = isForgotten ? 0 : before.pauseMs;
  const isNew = !before || before.pausedUntil > before.since || nowMs - before.since > withinMs;
  const { since, count } = isNew ? { since: nowMs, count: 1 } : { since: before.since, count: before.count + 1 };
  if (count <= mostTries) return { since, count, pausedUntil: before?.pausedUntil ?? 0, pauseMs };
  const longer = Math.min(Math.max(firstPauseMs, 2 * pauseMs), longestPauseMs);
  return { since, count, pausedUntil: nowMs + longer, pauseMs: longer };
}

const tooMany = (pauseMs: number) =>
  new ApiError('RATE_LIMITED', 'Too many wrong gateway keys came from this address', {
    headers: { 'Retry-After': String(Math.ceil(pauseMs / 1000)) },
  });

const groupsOf = (part = ''): readonly string[] => part.split(':').filter(Boolean);

/** Returns the key under which wrong keys are counted: an IPv4 address, or the /64 of an IPv6 address, because one client has all of it. */
export function placeOf(remoteAddress = ''): string {
  const [, v4] = /^(?:::ffff:)?(\d+(?:\.\d+){3})$/i.exec(remoteAddress) ?? [];
  if (v4) return v4;
  const [start, end] = remoteAddress.split('::').map(groupsOf);
  const zeros = Array.from({ length: end ? 8 - (start?.length ?? 0) - end.length : 0 }, () => '0');
  return `${[...(start ?? []), ...zeros, ...(end ?? [])].slice(0, 4).join(':')}::/64`;
}
