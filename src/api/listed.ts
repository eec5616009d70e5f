/** All runs that the engine's index has for a question, in time or not at all. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { within } from './deadline';

/** A large store is gone through in seconds; an engine that hangs must not hold whoever asks. */
const usuallyWithinMs = 30_000;

interface Bounds {
  readonly most?: number;
  readonly withinMs?: number;
}

export function listed(client: Client, query: string, { most, withinMs = usuallyWithinMs }: Bounds = {}): Promise<WorkflowExecutionInfo[]> {
  return within(client, Date.now() + withinMs, async () => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of client.workflow.list({ query, pageSize: most })) if (found.push(run) === most) break;
    return found;
  });
}
