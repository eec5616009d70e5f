/**
 * Deletes the runs of answered calls that only read, because a tool that polls a board would fill the disk with them. Failed runs are kept
 * for debugging, and runs with an Idempotency-Key for their repeats.
 */
import type { Client } from '@temporalio/client';
import { endpointTable } from '../contract';
import { isKeyedCall } from '../domain/ids';
import { inGroups } from '../lib/in-groups';
import { deleteRun } from '../temporal/ask';
import { rowPages } from './search';

/** Long enough for the caller's answer, and for a look at the run in the Temporal UI. */
export const readKeptMs = 120_000;
const atOnce = 4;

/** The workflow types of the calls that only read: all calls but those that write to the task board. */
const reads = endpointTable.flatMap(([name, { handledBy, group, method }]) =>
  handledBy === 'call' && (method === 'get' || !group.startsWith('A')) ? [name] : [],
);

export async function deleteAnsweredReads(client: Client, taskQueue: string, keptMs = readKeptMs): Promise<void> {
  const before = new Date(Date.now() - keptMs).toISOString();
  const types = reads.map((name) => `'${name}'`).join(', ');
  const query = `WorkflowType IN (${types}) AND ExecutionStatus = 'Completed' AND TaskQueue = '${taskQueue}' AND CloseTime < '${before}'`;
  for await (const rows of rowPages(client, query)) {
    const found = rows.map(({ execution }) => ({ workflowId: execution?.workflowId ?? '', runId: execution?.runId ?? '' }));
    await inGroups(
      found.filter(({ workflowId }) => !isKeyedCall(workflowId)),
      atOnce,
      (run) => deleteRun(client, run),
    );
  }
}
