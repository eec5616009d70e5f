/**
 * Rate-limits clients that guess gateway keys. After 20 wrong keys from one address within a minute, further wrong keys from it get 429 for
 * a minute. Each new burst doubles that time, up to an hour. A valid key always passes, so nobody can lock out other callers behind the
 * same address.
 */
import { isIPv4 } from 'node:net';
import { bySystem, type Trail } from '../audit/trail';
import { ApiError } from '../contract/errors';
import { BoundedMap } from '../lib/bounded-map';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';

const mostTries = 20;
const withinMs = 60_000;
const firstBlockMs = 60_000;
const longestBlockMs = 3_600_000;
/** An address without a burst for this long after its last block starts again with the first, shortest one. */
const resetAfterMs = 3_600_000;
const mostAddresses = 10_000;
/** The alerting run gets at most one signal in this time. */
const signalEveryMs = 60_000;

interface Tries {
  readonly since: number;
  readonly count: number;
  readonly blockedUntil: number;
  /** 0 before the first burst. */
  readonly blockMs: number;
}

export interface WrongKeys {
  /** Counts a wrong key from this client. Throws 429 if there are too many. */
  count(clientAddress: string | undefined): Promise<void>;
}

export interface WrongKeysNeeds {
  readonly trail: Pick<Trail, 'write'>;
  /** Signals the alerting run that somebody guesses keys. */
  signalAlerting(): Promise<void>;
  readonly now?: () => number;
}

export function createWrongKeys({ trail, signalAlerting, now = Date.now }: WrongKeysNeeds): WrongKeys {
  const tries = new BoundedMap<string, Tries>(
    mostAddresses,
    ({ since, blockedUntil }) => now() > Math.max(since, blockedUntil) + resetAfterMs,
  );
  let signalledAt = -Infinity;

  async function report(address: string, blockMs: number): Promise<void> {
    await trail
      .write({ who: bySystem, action: 'wrong keys', outcome: 'RATE_LIMITED', address, pauseS: blockMs / 1000 })
      .catch((error: unknown) => {
        log.error('the audit trail cannot be written', { action: 'wrong keys', reason: messageOf(error) });
      });
    if (now() - signalledAt < signalEveryMs) return;
    signalledAt = now();
    signalAlerting().catch((error: unknown) =>
      log.warn('the alerting run could not be signalled about wrong keys', { reason: messageOf(error) }),
    );
  }

  return {
    async count(clientAddress) {
      const address = addressKeyOf(clientAddress);
      const before = tries.get(address);
      if (before && now() < before.blockedUntil) throw tooManyKeys(before.blockedUntil - now());
      const next = addTry(before, now());
      tries.set(address, next);
      if (next.blockedUntil <= now()) return;
      await report(address, next.blockMs);
      throw tooManyKeys(next.blockMs);
    },
  };
}

/** Returns the count of an address after one more wrong key. */
function addTry(before: Tries | undefined, nowMs: number): Tries {
  const isReset = !before || nowMs - before.blockedUntil > resetAfterMs;
  const blockMs = isReset ? 0 : before.blockMs;
  const isNew = !before || before.blockedUntil > before.since || nowMs - before.since > withinMs;
  const { since, count } = isNew ? { since: nowMs, count: 1 } : { since: before.since, count: before.count + 1 };
  if (count <= mostTries) return { since, count, blockedUntil: before?.blockedUntil ?? 0, blockMs };
  const longer = Math.min(Math.max(firstBlockMs, 2 * blockMs), longestBlockMs);
  return { since, count, blockedUntil: nowMs + longer, blockMs: longer };
}

const tooManyKeys = (blockMs: number) =>
  new ApiError('RATE_LIMITED', 'Too many wrong gateway keys from this address', {
    headers: { 'Retry-After': String(Math.ceil(blockMs / 1000)) },
  });

const groupsOf = (part = ''): readonly string[] => part.split(':').filter(Boolean);

/** Returns what wrong keys are counted by: an IPv4 address, or the /64 network of an IPv6 address, because one client has all of it. */
export function addressKeyOf(clientAddress = ''): string {
  if (isIPv4(clientAddress)) return clientAddress;
  const [start, end] = clientAddress.split('::').map(groupsOf);
  const zeros = Array.from({ length: end ? 8 - (start?.length ?? 0) - end.length : 0 }, () => '0');
  return `${[...(start ?? []), ...zeros, ...(end ?? [])].slice(0, 4).join(':')}::/64`;
}
