/**
 * Stops requests to an upstream that fails: the circuit breaker counts failures in a row, and after the third only leads that the hold lets
 * through may send. The counts belong to this worker and may be lost; the waiting line is a run in the engine.
 */
import type { BypassHold, Held } from '../domain/hold';
import type { Destination } from '../domain/upstreams';
import type { Outcome } from '../domain/outcome';
import type { LastLook } from './http';

const failuresToHold = 3;
/** This long after the last failure, one lead passes without waiting in line: another worker may have seen the upstream recover. */
const staleMs = 60_000;
/** Instance names come from callers, so the counts of a name without failures for this long are dropped. */
const forgottenMs = 3_600_000;

type Failures = Pick<Held, 'failures' | 'failedAt' | 'reason' | 'retryAfterMs'>;

export type CircuitBreaker = <T>(
  destination: Destination,
  bypassHold: BypassHold,
  exchange: (lastLook?: LastLook) => Promise<Outcome<T>>,
) => Promise<Outcome<T>>;

export function createCircuitBreaker(now: () => number = Date.now): CircuitBreaker {
  const failing = new Map<string, Failures>();

  return async (destination, bypassHold, exchange) => {
    const name = `${destination.upstream}:${destination.instance}`;
    const known = failing.get(name);
    if (known && !bypassHold && known.failures >= failuresToHold) {
      if (now() - known.failedAt < staleMs) return { outcome: 'not-sent', reason: heldBecause(known), held: { ...destination, ...known } };
      failing.set(name, { ...known, failedAt: now() });
    }
    const outcome = await exchange();
    if (outcome.outcome === 'delivered' || outcome.outcome === 'refused') {
      failing.delete(name);
      return outcome;
    }
    if (outcome.cutShort) return outcome;
    for (const [other, { failedAt }] of failing) if (now() - failedAt > forgottenMs) failing.delete(other);
    const { reason } = outcome;
    const retryAfterMs = outcome.outcome === 'not-sent' ? outcome.retryAfterMs : undefined;
    failing.set(name, { failures: (failing.get(name)?.failures ?? 0) + 1, failedAt: now(), reason, retryAfterMs });
    return outcome;
  };
}

const heldBecause = ({ failures, reason }: Failures) =>
  `failed ${failures} times in a row (the last time it ${reason}); its leads are held and go through one at a time until it answers`;
