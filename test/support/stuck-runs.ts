/** Starts runs whose workflow tasks never succeed. */
import type { Client } from '@temporalio/client';
import { isDeadlineExceeded } from '../../src/temporal/ask';

/** How long the engine waits for an unanswered workflow task; the default of 10 s would make tests slow. */
const workflowTaskTimeout = '1s';
const pollMs = 5_000;

/** Starts a run of an unknown type, so that each of its tasks fails. */
export const startFailing = (client: Client, taskQueue: string) =>
  client.workflow.start('noSuchWorkflow', { workflowId: `failing-${taskQueue}`, taskQueue, workflowTaskTimeout });

/** Starts a run on a queue with `loseTasks`, so that each of its tasks times out. */
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
