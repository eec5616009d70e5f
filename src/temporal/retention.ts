/** Reads how long the engine keeps closed runs. */
import type { Client } from '@temporalio/client';
import { askEngine } from './ask';

export async function retentionH(client: Client): Promise<number> {
  const { namespace } = client.options;
  const { config } = await askEngine(client, () => client.workflowService.describeNamespace({ namespace }));
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
}
