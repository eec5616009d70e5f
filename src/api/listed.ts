/** All runs that the engine's index has for a question, in time or not at all. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { within } from './deadline';

/** A large store is gone through in seconds; an engine that hangs must not hold whoever asks. */
const deadlineMs = 30_000;

export function listed(client: Client, query: string, most = Infinity): Promise<WorkflowExecutionInfo[]> {
  return within(client, Date.now() + deadlineMs, async () => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of client.workflow.list({ query })) if (found.push(run) >= most) break;
    return found;
  });
}
