/**
 * Stops sending to an upstream that keeps failing. After three failures in a row, the circuit breaker refuses further leads, and they join
 * the waiting line. Calls, look-ups and the leads that the hold lets through still pass, as does one lead after a minute without a failure.
 * Each worker keeps its own counts in memory and may lose them; the waiting line is a run in the engine.
 */
import type { BypassHold, HoldNotice } from '../domain/hold';
import type { Destination } from '../domain/upstreams';
import type { Outcome } from '../domain/outcome';
import type { LastCheck } from './http';

const failuresToHold = 3;
/** This long after the last failure, one lead passes without waiting in line: another worker may have seen the upstream recover. */
const staleMs = 60_000;
/** Instance names come from callers, so the counts of a name without failures for this long are dropped. */
const forgetAfterMs = 3_600_000;

type Failures = Pick<HoldNotice, 'failures' | 'failedAt' | 'reason' | 'retryAfterMs'>;

export type CircuitBreaker = <T>(
  destination: Destination,
  bypassHold: BypassHold,
  exchange: (lastCheck?: LastCheck) => Promise<Outcome<T>>,
) => Promise<Outcome<T>>;

export function createCircuitBreaker(now: () => number = Date.now): CircuitBreaker {
  const failuresByName = new Map<string, Failures>();

  return async (destination, bypassHold, exchange) => {
    const name = `${destination.upstream}:${destination.instance}`;
    const failed = failuresByName.get(name);
    if (failed && !bypassHold && failed.failures >= failuresToHold) {
      if (now() - failed.failedAt < staleMs)
        return { outcome: 'not-sent', reason: holdReason(failed), held: { ...destination, ...failed } };
      failuresByName.set(name, { ...failed, failedAt: now() });
    }
    const outcome = await exchange();
    if (outcome.outcome === 'delivered' || outcome.outcome === 'refused') {
      failuresByName.delete(name);
      return outcome;
    }
    if (outcome.cutShort) return outcome;
    for (const [other, { failedAt }] of failuresByName) if (now() - failedAt > forgetAfterMs) failuresByName.delete(other);
    const { reason } = outcome;
    const retryAfterMs = outcome.outcome === 'not-sent' ? outcome.retryAfterMs : undefined;
    failuresByName.set(name, { failures: (failuresByName.get(name)?.failures ?? 0) + 1, failedAt: now(), reason, retryAfterMs });
    return outcome;
  };
}

const holdReason = ({ failures, reason }: Failures) =>
  `failed ${failures} times in a row (the last time it ${reason}); its leads are held and go through one at a time until it answers`;
