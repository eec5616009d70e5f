/** Collects the API's metrics and renders /metrics for Prometheus. Labels come from closed lists: routes, status codes, flows, states. */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { EngineMetrics } from './engine-metrics';

export interface Observed {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly tookMs: number;
}

/** `worker` holds the metrics of a worker in the same process. */
export function createMetrics(engine: EngineMetrics, worker?: Registry) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  return {
    observe({ method, route, status, tookMs }: Observed): void {
      requests.inc({ method, route, status });
      seconds.observe({ method, route }, tookMs / 1000);
    },
    contentType: registry.contentType,
    async text() {
      await engine.refresh();
      return (await Promise.all([registry, engine.registry, ...(worker ? [worker] : [])].map((each) => each.metrics()))).join('\n');
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
