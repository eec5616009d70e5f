/** Counts every answer: in the API's metrics for Prometheus, and in the traffic of the last hour for the console. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { endpointTable } from '../../contract';
import { colonPath } from '../../contract/endpoint';
import type { JsonObject } from '../../domain/lead';
import { processMetrics } from '../../lib/process-metrics';
import type { Handlers } from '../handler';
import { createDiskMetrics } from './disk-metrics';
import type { EngineMetrics } from './engine-metrics';

export interface Observed {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
}

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
  endpointTable.flatMap(([, { carried: how, method, path }]) => (how === 'here' ? [] : [`${method.toUpperCase()} ${colonPath(path)}`])),
);

/** Counts by minute, in memory; `since` tells when this process began. */
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

export const trafficHandlers = (traffic: Traffic) =>
  ({ getTraffic: async () => ({ status: 200, body: traffic.read() }) }) satisfies Partial<Handlers>;

/** The smallest time within which at least this share of the answers came. */
const quantile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];

/**
 * Renders /metrics. Labels come from closed lists. `worker` holds the metrics of a worker in the same process. `copyAge` is given if
 * copies are scheduled.
 */
export function createMetrics(engine: EngineMetrics, dataDir: string, worker?: Registry, copyAge?: () => Promise<number | undefined>) {
  const registry = new Registry();
  const disk = createDiskMetrics(dataDir);
  const all = [processMetrics(), registry, engine.registry, disk.registry, ...(worker ? [worker] : [])];
  const requests = new Counter({
    name: 'leadgate_http_requests_total',
    help: 'Answers by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'leadgate_http_request_duration_seconds',
    help: 'Time to answer by route',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60],
    registers: [registry],
  });
  if (copyAge) registry.registerMetric(copyAgeGauge(copyAge));
  return {
    observe({ method, route, status, tookMs }: Observed): void {
      requests.inc({ method, route, status });
      seconds.observe({ method, route }, tookMs / 1000);
    },
    contentType: registry.contentType,
    async text() {
      await Promise.all([engine.refresh(), disk.refresh()]);
      return (await Promise.all(all.map((each) => each.metrics()))).join('\n');
    },
  };
}

const copyAgeGauge = (copyAge: () => Promise<number | undefined>): Gauge =>
  new Gauge({
    name: 'leadgate_backup_age_seconds',
    help: 'Age of the newest copy in BACKUP_DIR; NaN when there is none',
    registers: [],
    async collect() {
      this.set((await copyAge()) ?? Number.NaN);
    },
  });

export type Metrics = ReturnType<typeof createMetrics>;
