/** Runs whose workflow tasks never succeed. */
import type { Client } from '@temporalio/client';
import { isDeadlineExceeded } from '../../src/temporal/ask';

/** The engine waits this long for a task that no worker answers; its usual 10 s would make a test long. */
const workflowTaskTimeout = '1s';
const pollMs = 5_000;

/** A run of a type that no worker has: each of its tasks fails. */
export const startFailing = (client: Client, taskQueue: string) =>
  client.workflow.start('noSuchWorkflow', { workflowId: `failing-${taskQueue}`, taskQueue, workflowTaskTimeout });

/** A run in whose queue tasks get lost, see `loseTasks`: each of them times out. */
export const startTimingOut = (client: Client, taskQueue: string) =>
  client.workflow.start('alerts', { workflowId: `timing-out-${taskQueue}`, taskQueue, workflowTaskTimeout });

/** Takes the workflow tasks of a queue and answers none of them, until it is stopped. */
export function loseTasks(client: Client, taskQueue: string): () => Promise<void> {
  const request = { namespace: client.options.namespace, taskQueue: { name: taskQueue }, identity: 'loses tasks' };
  const stopping = new AbortController();
  const poll = () => client.withDeadline(Date.now() + pollMs, () => client.workflowService.pollWorkflowTaskQueue(request));
  const polling = (async () => {
    while (!stopping.signal.aborted) await poll().catch(unlessTimeUp);
  })();
  return async () => {
    stopping.abort();
    await polling;
  };
}

function unlessTimeUp(error: unknown): void {
  if (!isDeadlineExceeded(error)) throw error;
}
