/** Stops leads to an upstream that a person has paused. Each worker caches the pauses for a few seconds. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { pausedWords, pauseOf, pausesId, pausesIn, pausesCachedMs, type Pause } from '../domain/pauses';
import type { Destination } from '../domain/upstreams';
import type { Outcome } from '../domain/outcome';
import { describe } from '../temporal/ask';
import type { CircuitBreaker } from './circuit-breaker';

/** An answer that took too long may be outdated, so the engine is asked again. */
const mostTries = 3;

interface PauseNeeds {
  readonly client: Client;
  readonly config: Config;
}

type ReadPauses = () => Promise<readonly Pause[]>;

export const readPauses =
  ({ client, config }: PauseNeeds): ReadPauses =>
  async () =>
    pausesIn(await describe(client, pausesId(config.TASK_QUEUE)));

export const pauseActivities = (needs: PauseNeeds) => ({
  /** Reads the current pause of this destination. */
  async readPause(destination: Destination): Promise<Pause | undefined> {
    return pauseOf(await readPauses(needs)(), destination);
  },
});

/** Caches the pauses for a short time, counted from the request, because the answer may be slow. */
export function cachePauses(read: ReadPauses, now: () => number = () => performance.now()): ReadPauses {
  let cached: { readonly pauses: readonly Pause[]; readonly until: number } | undefined;
  let pending: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const until = now() + pausesCachedMs;
    cached = { pauses: await read(), until };
  }

  return async () => {
    for (let tries = 0; tries <= mostTries; tries++) {
      if (cached && now() < cached.until) return cached.pauses;
      await (pending ??= ask().finally(() => (pending = undefined)));
    }
    throw new Error('The engine is too slow to read the pauses');
  };
}

/**
 * Stops a lead if its upstream is paused. A call and a look-up pass, because they send no lead. The check is repeated after connecting,
 * which may take seconds.
 */
export const stopAtPauses =
  (breaker: CircuitBreaker, pauses: ReadPauses): CircuitBreaker =>
  async (destination, bypassHold, exchange) => {
    if (bypassHold === 'pause-too') return breaker(destination, bypassHold, exchange);
    const stopNow = await stopBefore(destination, pauses);
    if (stopNow) return stopNow;
    let stop: NotSentOutcome | undefined;
    const look = async () => {
      stop = await stopBefore(destination, pauses);
      if (stop) throw new Error(stop.reason);
    };
    return breaker(destination, bypassHold, () => exchange(look)).catch((error: unknown) => {
      if (stop) return stop;
      throw error;
    });
  };

type NotSentOutcome = Extract<Outcome<never>, { readonly outcome: 'not-sent' }>;

async function stopBefore(destination: Destination, pauses: ReadPauses): Promise<NotSentOutcome | undefined> {
  const known = await pauses().catch(() => undefined);
  if (!known) return { outcome: 'not-sent', reason: 'was not called: the engine did not report whether it is paused' };
  const pause = pauseOf(known, destination);
  if (!pause) return undefined;
  const reason = `${pausedWords(pause)}, so nothing was sent to it`;
  const { upstream, instance } = pause;
  return { outcome: 'not-sent', reason, held: { upstream, instance, failures: 0, leads: [], failedAt: Date.now(), reason, pause } };
}
