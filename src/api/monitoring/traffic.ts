/** Counts the answers of the last hour by minute, for the console. They are kept in memory; `since` tells when this process began. */
import { endpointTable } from '../../contract';
import type { JsonObject } from '../../domain/lead';
import type { Observed } from './metrics';

const minuteMs = 60_000;
const minutesKept = 60;
/** Past this many answers in a minute, their times are kept as a sample. */
const timesMost = 1_000;

interface Minute {
  readonly at: number;
  readonly counts: Record<Kind, number>;
  readonly timesMs: number[];
}

type Kind = 'done' | 'accepted' | 'refused' | 'failed';

export interface Traffic {
  observe(observed: Observed): void;
  read(): JsonObject;
}

const kindOf = (status: number): Kind => (status === 202 ? 'accepted' : status < 400 ? 'done' : status < 500 ? 'refused' : 'failed');

/** The routes that count: leads and calls, not the requests that the console and health checks repeat. */
const carried = new Set(
  endpointTable.flatMap(([, { carried: how, method, path }]) =>
    how === 'here' ? [] : [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`],
  ),
);

export function createTraffic(now: () => number = Date.now): Traffic {
  const since = now();
  const minutes: Minute[] = [];

  function current(): Minute {
    const at = Math.floor(now() / minuteMs) * minuteMs;
    const last = minutes.at(-1);
    if (last?.at === at) return last;
    const minute: Minute = { at, counts: { done: 0, accepted: 0, refused: 0, failed: 0 }, timesMs: [] };
    minutes.push(minute);
    while (minutes[0] && minutes[0].at <= at - minutesKept * minuteMs) minutes.shift();
    return minute;
  }

  return {
    observe({ method, route, status, tookMs }) {
      if (!carried.has(`${method} ${route}`)) return;
      const { counts, timesMs } = current();
      counts[kindOf(status)]++;
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      if (timesMs.length < timesMost) timesMs.push(tookMs);
      else if (Math.random() * total < timesMost) timesMs[Math.floor(Math.random() * timesMost)] = tookMs;
    },

    read() {
      current();
      const told = minutes.map(({ at, counts, timesMs }) => {
        const sorted = timesMs.toSorted((one, other) => one - other);
        return { at: new Date(at).toISOString(), ...counts, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
      });
      return { success: true, since: new Date(since).toISOString(), minutes: told };
    },
  };
}

/** The smallest time within which at least this share of the answers came. */
const quantile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
