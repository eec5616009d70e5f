/** Asks the engine for one run. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { askEngine } from './deadline';
import { unlessNoRun } from './grpc';

export type Found = WorkflowExecutionDescription;

/** Without a run id, asks for the newest run under the workflow id. Undefined if there is none. */
export const describe = (client: Client, workflowId: string, runId?: string): Promise<Found | undefined> =>
  askEngine(client, () => client.workflow.getHandle(workflowId, runId).describe()).catch(unlessNoRun);
