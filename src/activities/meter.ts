/** Defines the meter that the worker provides. It measures exchanges with upstreams, checks for problems, sent alerts and posted events. */
import type { Channel } from '../domain/alerts';
import type { Receiver } from '../domain/events';
import type { UpstreamName } from '../domain/upstreams';
import type { Outcome } from '../domain/outcome';
import type { CircuitBreaker } from './circuit-breaker';

export type MeteredUpstream = UpstreamName | 'task-board';
export type MeteredOutcome = Outcome<unknown>['outcome'];

export interface Meter {
  /** One exchange with an upstream. */
  recordExchange(upstream: MeteredUpstream, outcome: MeteredOutcome, tookMs: number): void;
  /** One check of the alerting. */
  recordCheck(): void;
  recordAlert(channel: Exclude<Channel, 'card'> | 'heartbeat', arrived: boolean): void;
  /** One try to post an event. */
  recordPost(receiver: Receiver, result: 'told' | 'failed' | 'given-up'): void;
}

/** Measures each exchange. A lead that a hold stops makes none. */
export const meterExchanges =
  (breaker: CircuitBreaker, meter: Meter): CircuitBreaker =>
  (destination, bypassHold, exchange) =>
    breaker(destination, bypassHold, async () => {
      const startedAt = performance.now();
      const outcome = await exchange();
      meter.recordExchange(destination.upstream, outcome.outcome, performance.now() - startedAt);
      return outcome;
    });
