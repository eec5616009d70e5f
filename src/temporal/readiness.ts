/** Checks readiness: the engine answers, and a worker polls the task queue. */
import type { Client } from '@temporalio/client';
import { within } from './ask';

const pollersDeadlineMs = 2_000;
/** A worker polls at least this often. */
const pollMs = 75_000;
const workflowTasks = 1;

export const engineAwayMessage = 'The engine does not answer';

/** Returns why Leadgate is not ready; undefined if it is. */
export async function whyNotReady(client: Client, namespace: string, taskQueue: string): Promise<string | undefined> {
  try {
    const { pollers } = await within(client, Date.now() + pollersDeadlineMs, () =>
      client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType: workflowTasks }),
    );
    const recent = (pollers ?? []).some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - pollMs);
    return recent ? undefined : 'No worker is polling the task queue';
  } catch {
    return engineAwayMessage;
  }
}
