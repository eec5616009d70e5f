/** Defines the metrics of a worker: exchanges with upstreams, slots, alerts and events. Label values are from fixed lists. */
import type { Worker } from '@temporalio/worker';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Meter } from '../activities/meter';

/** The most tasks of each kind that one worker runs at once. */
export const slots = { workflow: 100, activity: 200, 'local-activity': 200 } as const;
type Kind = keyof typeof slots;

type Status = ReturnType<Worker['getStatus']>;

const inFlight: Readonly<Record<Kind, (status: Status) => number>> = {
  workflow: ({ numInFlightWorkflowActivations }) => numInFlightWorkflowActivations,
  activity: ({ numInFlightNonLocalActivities }) => numInFlightNonLocalActivities,
  'local-activity': ({ numInFlightLocalActivities }) => numInFlightLocalActivities,
};

const kinds = Object.keys(slots) as Kind[];

export interface WorkerMetrics {
  readonly registry: Registry;
  readonly meter: Meter;
  /** Adds a worker to the metrics. The returned function removes it. */
  follow(worker: Pick<Worker, 'getStatus'>): () => void;
}

export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const workers = new Set<Pick<Worker, 'getStatus'>>();
  const sum = (of: (status: Status) => number) => [...workers].reduce((total, worker) => total + of(worker.getStatus()), 0);

  const requests = new Histogram({
    name: 'leadgate_upstream_request_duration_seconds',
    help: 'Duration of a request to an upstream, by outcome',
    labelNames: ['upstream', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
    registers,
  });
  const lastCheck = new Gauge({
    name: 'leadgate_alerts_last_look_timestamp_seconds',
    help: 'When this worker last checked for alerts',
    registers,
  });
  const alertMessages = new Counter({
    name: 'leadgate_alert_messages_total',
    help: 'Attempts to send an alert or a heartbeat, by whether they arrived',
    labelNames: ['channel', 'arrived'],
    registers,
  });
  const posted = new Counter({
    name: 'leadgate_events_total',
    help: "Attempts to deliver a lead's event, by result",
    labelNames: ['receiver', 'result'],
    registers,
  });
  const ofKind = (name: string, help: string, value: (kind: Kind) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        for (const kind of kinds) this.set({ kind }, value(kind));
      },
    });
  ofKind('leadgate_worker_tasks_in_flight', 'Tasks that the worker is running', (kind) => sum(inFlight[kind]));
  ofKind('leadgate_worker_slots', 'Tasks that the worker can run at once', (kind) => workers.size * slots[kind]);
  const one = (name: string, help: string, of: (status: Status) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(sum(of));
      },
    });
  one('leadgate_worker_cached_runs', 'Runs that the worker keeps in memory', ({ numCachedWorkflows }) => numCachedWorkflows);
  one('leadgate_worker_running', 'Workers of this process that poll for tasks', ({ runState }) => Number(runState === 'RUNNING'));

  return {
    registry,
    meter: {
      recordExchange: (upstream, outcome, tookMs) => requests.observe({ upstream, outcome }, tookMs / 1000),
      recordCheck: () => lastCheck.setToCurrentTime(),
      recordAlert: (channel, arrived) => alertMessages.inc({ channel, arrived: String(arrived) }),
      recordPost: (receiver, result) => posted.inc({ receiver, result }),
    },
    follow(worker) {
      workers.add(worker);
      return () => void workers.delete(worker);
    },
  };
}
