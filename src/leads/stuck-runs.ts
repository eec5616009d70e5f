/** Counts stuck runs: open runs whose workflow tasks keep failing, so that they make no progress. */
import { ServiceError, type Client } from '@temporalio/client';
import { askEngine, isCode } from '../temporal/ask';
import { stuckRuns } from './lead-queries';
import type { RunListUrl } from './run-urls';

/** Undefined if the engine does not support it: servers before 1.30 refuse the unknown search attribute. */
export async function countStuckRuns(client: Client, taskQueue: string): Promise<number | undefined> {
  try {
    return (await askEngine(client, () => client.workflow.count(stuckRuns(taskQueue)))).count;
  } catch (error) {
    if (error instanceof ServiceError && isCode(error.cause, 'invalidArgument')) return undefined;
    throw error;
  }
}

export interface StuckRuns {
  readonly count: number;
  readonly temporalUrl?: string;
}

/** Returns the number of stuck runs and a link to them; undefined if there are none, or if the engine does not support it. */
export async function readStuckRuns(client: Client, taskQueue: string, listUrl: RunListUrl): Promise<StuckRuns | undefined> {
  const count = await countStuckRuns(client, taskQueue);
  return count ? { count, temporalUrl: listUrl(stuckRuns(taskQueue)) } : undefined;
}
