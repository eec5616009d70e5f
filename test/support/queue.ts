/** Asks the engine about a gateway's activity queues: how many workers poll, and how much waits. */
import { limitedQueue } from '../../src/domain/hold';
import type { Gateway } from './gateway';

/** As the engine numbers the kinds of task queues. */
const activityTasks = 2;

export async function queueOf({ client, engine }: Gateway, name: string): Promise<{ readonly pollers: number; readonly waiting: number }> {
  const { pollers, stats } = await client.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name },
    taskQueueType: activityTasks,
    reportStats: true,
  });
  return { pollers: pollers?.length ?? 0, waiting: Number(stats?.approximateBacklogCount ?? 0) };
}

/** How many wait for their turn at an upstream with a limit. */
export const waitingFor = async (gateway: Gateway, upstream: Parameters<typeof limitedQueue>[1]): Promise<number> =>
  (await queueOf(gateway, limitedQueue(gateway.config.TASK_QUEUE, upstream))).waiting;
