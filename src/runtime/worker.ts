/** Starts the worker of one task queue, with its activities, the workers of limited upstreams and of events, and alerting. */
import { Client } from '@temporalio/client';
import { Worker, type InjectedSinks, type WorkerOptions } from '@temporalio/worker';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createActivities } from '../activities';
import { interceptActivities, withinBinding } from '../activities/interceptor';
import type { Config } from '../config/config';
import { restoredFrom } from '../config/restored';
import { longestTimeoutMs, type Upstreams } from '../config/upstreams';
import { heartbeatEveryMs, heartbeatTimeoutMs, webhookTimeoutMs } from '../domain/deadlines';
import type { LockSinks } from '../domain/locks';
import { createCarryBatch } from '../orders/bulk';
import { createEventOutbox } from '../events/outbox';
import type { KeyRing } from '../keys/ring';
import { createEraser } from '../orders/erase';
import { createReconcile } from '../orders/reconcile';
import { leadFields } from '../leads/events';
import { createLeadList } from '../leads/lead-list';
import { createLocks } from '../leads/locks';
import { createReports } from '../leads/reports';
import { createSamePersonCount } from '../leads/same-person';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { build, deploymentOf } from '../temporal/build';
import { dataConverter, withoutDecryption, workerConverter, type Engine } from '../temporal/engine';
import { tracing } from '../temporal/tracing';
import { alertingOf, keepAlertsRunning } from './alerting';
import { dropAnsweredReads } from './answered-reads';
import { publishEndedLeads } from './ended-events';
import { eventWorkers } from './event-workers';
import { createReceipts } from './erase-receipts';
import { limitedWorkers } from './limited-workers';
import { keepReconcileSchedule } from './reconcile-schedule';
import type { Stop } from './process';
import type { WorkerShared } from './shared';
import { slots } from './worker-metrics';

/** Time for a send to end after a stop, in addition to the longest deadline. */
const stopGraceMs = 3_000;

interface Sources {
  readonly workflowsPath: string;
  readonly interceptors: { readonly workflowModules: string[] };
}

export type WorkflowCode = { readonly workflowBundle: { readonly codePath: string } } | Sources;

/** Returns the workflow bundle of the build. When the sources run, the worker makes the bundle itself. */
function ownWorkflowCode(): WorkflowCode {
  const codePath = join(__dirname, '../../workflow-bundle.js');
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return {
    workflowsPath: require.resolve('../workflows'),
    interceptors: { workflowModules: [require.resolve('../workflows/execution-context')] },
  };
}

/** With WORKER_BUILD_ID, runs are pinned to the build that started them, unless their workflow is auto-upgraded (docs/decisions/0009). */
const versioned = ({
  WORKER_BUILD_ID: buildId,
  TASK_QUEUE: taskQueue,
}: Config): Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions'> =>
  buildId === undefined
    ? { buildId: build }
    : {
        workerDeploymentOptions: {
          useWorkerVersioning: true,
          version: { deploymentName: deploymentOf(taskQueue), buildId },
          defaultVersioningBehavior: 'PINNED',
        },
      };

interface WorkerSetup {
  readonly code?: WorkflowCode;
  /** How long a check must find no trouble before an alert is closed. */
  readonly alertClearMs?: number;
}

export async function startWorker(
  config: Config,
  { connection, namespace }: Engine,
  keys: KeyRing,
  upstreams: Upstreams,
  { trail, evidence, metrics, admission, search }: WorkerShared,
  { code = ownWorkflowCode(), alertClearMs }: WorkerSetup = {},
): Promise<Stop> {
  const shutdownGraceTime = longestTimeoutMs(config) + stopGraceMs;
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  const copiedAt = restoredFrom(config);
  const alerting = alertingOf(config, client, keys, alertClearMs);
  const locks = createLocks(client, keys, config.TASK_QUEUE);
  const activities = createActivities({
    config,
    keys,
    upstreams: withinBinding(upstreams),
    client,
    carryBatch: createCarryBatch({
      ...{ client, config, keys, upstreams, search, admission },
      copiedAt,
      record: (entry) => trail.write({ ...entry }),
      keepEvidence: evidence.keep,
    }),
    takeLock: locks.take,
    takeClaim: locks.claim,
    isHolderOpen: locks.isOpen,
    ...createEraser({
      client: withoutDecryption(client, keys),
      taskQueue: config.TASK_QUEUE,
      longestEndMs: Math.max(shutdownGraceTime, webhookTimeoutMs + stopGraceMs) + heartbeatTimeoutMs,
    }),
    writeReceipt: createReceipts(trail, evidence),
    countSamePersonLeads: createSamePersonCount(client, keys),
    reconcile: createReconcile({
      ...{ client, config, upstreams },
      leadList: createLeadList(search, keys, upstreams, copiedAt),
      reports: createReports(client, new AbortController().signal, search),
    }),
    meter: metrics.meter,
    handOver: createEventOutbox({ client, keys, taskQueue: config.TASK_QUEUE, copiedAt }).handOver,
    leadFields: (leadId, attempt) => leadFields(client, leadId, attempt),
    alerting,
  });
  const interceptors = { activity: [interceptActivities({ tracing: tracing(), copiedAt })] };
  const shared = {
    connection,
    namespace,
    interceptors,
    // All workers use the same activities, so that they share one circuit breaker.
    activities,
    dataConverter: workerConverter(keys),
    maxConcurrentActivityTaskExecutions: slots.activity,
    // Throttled heartbeats would delay the cancellation of an activity.
    maxHeartbeatThrottleInterval: heartbeatEveryMs,
    ...versioned(config),
    // A send that is in progress at a stop must end and report, or its outcome would be unknown.
    shutdownGraceTime,
    shutdownForceTime: shutdownGraceTime + stopGraceMs,
  };
  const worker = await Worker.create({
    ...shared,
    taskQueue: config.TASK_QUEUE,
    ...code,
    sinks: { locks: { giveBack: { fn: locks.giveBack } } } satisfies InjectedSinks<LockSinks>,
    interceptors: { ...('interceptors' in code && code.interceptors), ...interceptors },
    maxConcurrentWorkflowTaskExecutions: slots.workflow,
    maxConcurrentLocalActivityExecutions: slots['local-activity'],
    // Further open runs, such as parked leads, are evicted from memory, and replayed when they continue.
    maxCachedWorkflows: 1_000,
    // After this time, the run of a dead worker continues on another worker.
    stickyQueueScheduleToStartTimeout: '5s',
  });
  const workers = [worker, ...(await limitedWorkers(config, shared)), ...(await eventWorkers(config, shared))];
  const ended = Promise.all(workers.map((each) => each.run()));
  ended.catch((error: unknown) => {
    log.error('the worker stopped unexpectedly', { reason: errorNameOf(error) });
    process.exit(1);
  });
  const unfollow = metrics.follow(worker);
  const stopAlerts = alerting && keepAlertsRunning(config, client, keys);
  const stopEnds = publishEndedLeads(config, client, keys, copiedAt);
  const stopReads = dropAnsweredReads(config, client);
  const stopSchedule = keepReconcileSchedule(config, client, keys);
  return async () => {
    await stopAlerts?.();
    await stopEnds();
    await stopReads();
    await stopSchedule();
    unfollow();
    for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
    await ended;
  };
}
