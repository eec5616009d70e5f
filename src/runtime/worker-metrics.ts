/** The metrics of a worker: exchanges with upstreams, its slots, the alerting, events. Labels come from closed lists. */
import type { Worker } from '@temporalio/worker';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Meter } from '../activities/meter';

/** The most tasks of each kind that one worker carries at once. */
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
  /** Adds a worker to the metrics. Call the returned function to take it out. */
  follow(worker: Pick<Worker, 'getStatus'>): () => void;
}

export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  const workers = new Set<Pick<Worker, 'getStatus'>>();
  const sum = (of: (status: Status) => number) => [...workers].reduce((total, worker) => total + of(worker.getStatus()), 0);

  const requests = new Histogram({
    name: 'leadgate_upstream_request_duration_seconds',
    help: 'Time of a request to an upstream, by what became of it',
    labelNames: ['upstream', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
    registers,
  });
  const lookedAt = new Gauge({
    name: 'leadgate_alerts_last_look_timestamp_seconds',
    help: 'When this worker last looked for alerts',
    registers,
  });
  const told = new Counter({
    name: 'leadgate_alert_messages_total',
    help: 'Tries to tell an alert or to beat the heart, by whether they arrived',
    labelNames: ['channel', 'arrived'],
    registers,
  });
  const posted = new Counter({
    name: 'leadgate_events_total',
    help: "Tries to post a lead's event, by what became of them",
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
  ofKind('leadgate_worker_tasks_in_flight', 'Tasks that the worker has in its hands', (kind) => sum(inFlight[kind]));
  ofKind('leadgate_worker_slots', 'Tasks that it can have in its hands', (kind) => workers.size * slots[kind]);
  const one = (name: string, help: string, of: (status: Status) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(sum(of));
      },
    });
  one('leadgate_worker_cached_runs', 'Runs that it keeps in memory', ({ numCachedWorkflows }) => numCachedWorkflows);
  one('leadgate_worker_running', 'Workers of this process that ask for work', ({ runState }) => Number(runState === 'RUNNING'));

  return {
    registry,
    meter: {
      exchanged: (upstream, outcome, tookMs) => requests.observe({ upstream, outcome }, tookMs / 1000),
      looked: () => lookedAt.setToCurrentTime(),
      told: (channel, arrived) => told.inc({ channel, arrived: String(arrived) }),
      posted: (receiver, result) => posted.inc({ receiver, result }),
    },
    follow(worker) {
      workers.add(worker);
      return () => void workers.delete(worker);
    },
  };
}
