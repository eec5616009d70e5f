/**
 * Stops sending to an upstream that keeps failing. When three different leads have failed in a row, the circuit breaker refuses further
 * leads, and they join the waiting line. Calls, look-ups and the leads that the hold lets through still pass, as does one lead after a
 * minute without a failure. Each worker keeps its own counts in memory and may lose them; the waiting line is a run in the engine.
 */
import { holdsUpstream, lastErrorWords, withFailed, type BypassHold, type HoldNotice } from '../domain/hold';
import type { Address } from '../domain/ids';
import type { Destination } from '../domain/upstreams';
import type { Outcome } from '../domain/outcome';
import type { LastCheck } from './http';

/** This long after the last failure, one lead passes without waiting in line: another worker may have seen the upstream recover. */
const staleMs = 60_000;
/** Instance names come from callers, so the counts of a name without failures for this long are dropped. */
const forgetAfterMs = 3_600_000;

/** Where a request goes; `who` names what is asked, as the subject of a sentence. */
export interface Asked extends Destination {
  readonly who: string;
}

export type CircuitBreaker = <T>(
  asked: Asked,
  bypassHold: BypassHold,
  exchange: (lastCheck?: LastCheck) => Promise<Outcome<T>>,
) => Promise<Outcome<T>>;

interface BreakerNeeds {
  /** The run that asks. A call counts as a lead of its own. */
  readonly ownRun: () => Address;
  /** Tells the hold that its upstream has answered a request that it did not let through. */
  readonly reportAnswer: (destination: Destination) => void;
  readonly now?: () => number;
}

export function createCircuitBreaker({ ownRun, reportAnswer, now = Date.now }: BreakerNeeds): CircuitBreaker {
  /** The failures in a row; `hasHold`: leads wait for this upstream. */
  const failuresByName = new Map<string, { readonly notice: HoldNotice; readonly hasHold: boolean }>();

  return async ({ who, upstream, instance }, bypassHold, exchange) => {
    const name = `${upstream}:${instance}`;
    const before = failuresByName.get(name);
    if (before && !bypassHold && holdsUpstream(before.notice.leads)) {
      const { notice } = before;
      if (now() - notice.failedAt < staleMs) return { outcome: 'not-sent', reason: holdReason(notice), held: notice };
      failuresByName.set(name, { ...before, notice: { ...notice, failedAt: now() } });
    }
    const outcome = await exchange();
    const failed = failuresByName.get(name);
    if (outcome.outcome === 'delivered' || outcome.outcome === 'refused') {
      failuresByName.delete(name);
      // A lead that was let through reports its answer itself.
      if (failed?.hasHold && bypassHold !== true) reportAnswer({ upstream, instance });
      return outcome;
    }
    if (outcome.cutShort) return outcome;
    for (const [other, { notice }] of failuresByName) if (now() - notice.failedAt > forgetAfterMs) failuresByName.delete(other);
    const { failures = 0, leads: earlier = [] } = failuresByName.get(name)?.notice ?? {};
    const leads = withFailed(earlier, ownRun());
    const reason = `${who} ${outcome.reason}`;
    const retryAfterMs = outcome.outcome === 'not-sent' ? outcome.retryAfterMs : undefined;
    failuresByName.set(name, {
      notice: { upstream, instance, failures: failures + 1, leads, failedAt: now(), reason, retryAfterMs },
      hasHold: bypassHold === true || Boolean(failed?.hasHold) || holdsUpstream(leads),
    });
    return outcome;
  };
}

const holdReason = ({ failures, reason }: HoldNotice) =>
  `was not called: its upstream failed ${failures} times in a row (${lastErrorWords(reason)}) and is held, so leads go through one at a time until it answers`;
