/** The workers before upstreams with a limit, one for each. The engine hands their queues out at the limit's rate, over all processes. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/config';
import { limitedQueue, upstreamNames } from '../domain/hold';

/** What a limit lets pass needs no more of them to be asked for in time. */
const polls = 2;

export async function limitedWorkers({ UPSTREAM_LIMITS: limits = {}, TASK_QUEUE }: Config, shared: Omit<WorkerOptions, 'taskQueue'>) {
  const workers: Worker[] = [];
  for (const upstream of upstreamNames) {
    const limit = limits[upstream];
    if (!limit) continue;
    const { perS, atOnce = shared.maxConcurrentActivityTaskExecutions } = limit;
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: limitedQueue(TASK_QUEUE, upstream),
        maxTaskQueueActivitiesPerSecond: perS,
        maxConcurrentActivityTaskExecutions: atOnce,
        activityTaskPollerBehavior: { type: 'simple-maximum', maximum: polls },
      }),
    );
  }
  return workers;
}
