/** Counts the answers of the API: as Prometheus metrics, and as the traffic of the last hour for the console. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../../config/version';
import { endpointTable } from '../../contract';
import { colonPath } from '../../contract/endpoint';
import type { JsonObject } from '../../domain/lead';
import { processMetrics } from '../../lib/process-metrics';
import type { Handlers } from '../handler';
import { createDiskMetrics } from './disk-metrics';
import type { EngineMetrics } from './engine-metrics';

export interface ObservedAnswer {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
}

const minuteMs = 60_000;
const minutesKept = 60;
/** The maximum number of latencies kept per minute. Beyond it, they are a random sample. */
const timesMost = 1_000;

interface Minute {
  readonly at: number;
  readonly counts: Record<AnswerKind, number>;
  readonly timesMs: number[];
}

type AnswerKind = 'done' | 'accepted' | 'refused' | 'failed';

export interface Traffic {
  observe(observed: ObservedAnswer): void;
  read(): JsonObject;
}

const kindOf = (status: number): AnswerKind => (status === 202 ? 'accepted' : status < 400 ? 'done' : status < 500 ? 'refused' : 'failed');

/** The routes that count as traffic: leads and calls, not the polling of the console and of health checks. */
const countedRoutes = new Set(
  endpointTable.flatMap(([, { handledBy, method, path }]) => (handledBy === 'api' ? [] : [`${method.toUpperCase()} ${colonPath(path)}`])),
);

/** Counts answers by minute, in memory. `since` is the start of the process. */
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
      if (!countedRoutes.has(`${method} ${route}`)) return;
      const { counts, timesMs } = current();
      counts[kindOf(status)]++;
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      if (timesMs.length < timesMost) timesMs.push(tookMs);
      else if (Math.random() * total < timesMost) timesMs[Math.floor(Math.random() * timesMost)] = tookMs;
    },

    read() {
      current();
      const rows = minutes.map(({ at, counts, timesMs }) => {
        const sorted = timesMs.toSorted((one, other) => one - other);
        return { at: new Date(at).toISOString(), ...counts, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
      });
      return { success: true, since: new Date(since).toISOString(), minutes: rows };
    },
  };
}

export const trafficHandlers = (traffic: Traffic) =>
  ({ getTraffic: async () => ({ status: 200, body: traffic.read() }) }) satisfies Partial<Handlers>;

/** Returns the quantile by the nearest-rank method. */
const quantile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];

/**
 * Renders /metrics. All label values are from fixed lists. `worker` has the metrics of a worker in the same process. `copyAge` is given if
 * backups are scheduled.
 */
export function createMetrics(engine: EngineMetrics, dataDir: string, worker?: Registry, copyAge?: () => Promise<number | undefined>) {
  const registry = new Registry();
  const disk = createDiskMetrics(dataDir);
  const all = [processMetrics(version), registry, engine.registry, disk.registry, ...(worker ? [worker] : [])];
  const requests = new Counter({
    name: 'leadgate_http_requests_total',
    help: 'Answers by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'leadgate_http_request_duration_seconds',
    help: 'Response time by route',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60],
    registers: [registry],
  });
  if (copyAge) registry.registerMetric(copyAgeGauge(copyAge));
  return {
    observe({ method, route, status, tookMs }: ObservedAnswer): void {
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
    help: 'Age of the newest backup in BACKUP_DIR; NaN if there is none',
    registers: [],
    async collect() {
      this.set((await copyAge()) ?? Number.NaN);
    },
  });

export type Metrics = ReturnType<typeof createMetrics>;
