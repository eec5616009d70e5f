/** Makes one worker for each upstream with a limit. The engine gives out that task queue at the limit's rate, over all processes. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/config';
import { limitedQueue } from '../domain/limits';
import { upstreamNames } from '../domain/upstreams';

/** Enough polls to fetch the tasks that a limit lets through. */
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
