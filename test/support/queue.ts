/** Reads the pollers and the backlog of a gateway's activity task queues. */
import { limitedQueue } from '../../src/domain/limits';
import type { Gateway } from './gateway';

/** The engine's number of the activity task queue type. */
const activityTasks = 2;

/** The engine's default priority. */
export const ofSingleLeads = 3;
/** The engine's lowest priority. */
export const ofRows = 5;

/** The engine's counts are approximate: a busy engine may count a task twice, or still count it after dispatch. */
export async function queueOf({ client, engine }: Gateway, name: string) {
  const { pollers, stats, statsByPriorityKey } = await client.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name },
    taskQueueType: activityTasks,
    reportStats: true,
  });
  return {
    pollers: pollers?.length ?? 0,
    waiting: Number(stats?.approximateBacklogCount ?? 0),
    waitingAt: (priority: number) => Number(statsByPriorityKey?.[priority]?.approximateBacklogCount ?? 0),
  };
}

/** The queue of an upstream with a limit. */
export const queueAt = (gateway: Gateway, upstream: Parameters<typeof limitedQueue>[1]) =>
  queueOf(gateway, limitedQueue(gateway.config.TASK_QUEUE, upstream));
