import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { isExchange } from '../domain/exchanges';
import type { Address } from '../domain/ids';
import { describe } from '../temporal/ask';
import { pendingTries } from '../temporal/pending-tries';

/** The run that this activity belongs to. */
export function ownRun(): Address {
  const { workflowId = '', runId = '' } = activityInfo().workflowExecution ?? {};
  return { workflowId, runId };
}

export const ownRunActivities = ({ client }: { readonly client: Client }) => ({
  /** Counts the tries of the run's exchange that the engine retries. */
  async countTries(): Promise<number | undefined> {
    const { workflowId, runId } = ownRun();
    const run = await describe(client, workflowId, runId);
    return run && pendingTries(run, (call) => isExchange({ call }))?.begun;
  },
});
