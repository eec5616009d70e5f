/** What the engine says of a gateway's queue of activities: who asks for work, and how much waits there. */
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
