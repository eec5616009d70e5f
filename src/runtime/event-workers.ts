/** Creates the worker that delivers events, if events are on. It has its own few slots, so that a hanging receiver does not block leads. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/config';
import { eventsQueue } from '../domain/events';

const postsAtOnce = 40;

export const eventWorkers = async (
  { EVENTS_WEBHOOK_SECRET, TASK_QUEUE }: Config,
  shared: Omit<WorkerOptions, 'taskQueue'>,
): Promise<Worker[]> =>
  EVENTS_WEBHOOK_SECRET
    ? [
        await Worker.create({
          ...shared,
          taskQueue: eventsQueue(TASK_QUEUE),
          maxConcurrentActivityTaskExecutions: postsAtOnce,
          activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
        }),
      ]
    : [];
