/** Creates a worker for each upstream with a limit. The engine dispatches the tasks of its queue at that rate, over all processes. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/config';
import { limitedQueue } from '../domain/limits';
import { upstreamNames } from '../domain/upstreams';

/** Few pollers are enough for a limited rate. */
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
