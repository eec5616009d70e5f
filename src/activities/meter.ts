/** What is counted and timed where it happens; whoever starts the worker says what becomes of it. */
import type { UpstreamName } from '../domain/hold';
import type { Outcome } from '../domain/outcome';
import type { CircuitBreaker } from './circuit-breaker';

export type Metered = UpstreamName | 'task-board';
export type MeteredOutcome = Outcome<unknown>['outcome'];

export interface Meter {
  /** One request to an upstream. */
  exchanged(upstream: Metered, outcome: MeteredOutcome, tookMs: number): void;
  /** The alerting has looked. */
  looked(): void;
  told(channel: 'webhook' | 'heartbeat', arrived: boolean): void;
}

/** Only what goes out is timed: a lead that a hold stops does not. */
export const metered =
  (breaker: CircuitBreaker, meter: Meter): CircuitBreaker =>
  (destination, bypassHold, exchange) =>
    breaker(destination, bypassHold, async () => {
      const startedAt = performance.now();
      const outcome = await exchange();
      meter.exchanged(destination.upstream, outcome.outcome, performance.now() - startedAt);
      return outcome;
    });
