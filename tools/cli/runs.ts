/** Fetches runs with their histories from the engine: all attempts of a lead, or all open runs. */
import { Client, type WorkflowExecutionInfo } from '@temporalio/client';
import type { Config } from '../../src/config/config';
import { ApiError } from '../../src/contract/errors';
import { leadIdForm } from '../../src/domain/ids';
import { openRunsQuery } from './builds';
import { attemptsOf } from '../../src/leads/attempts';
import type { StoredRun } from '../replay/replay';
import { connect, dataConverter } from '../../src/temporal/engine';
import { statuses, CommandError } from './command';
import { localKeys } from './keyring';

export interface Runs {
  /** All attempts of a lead, the oldest first. */
  ofLead(leadId: string): Promise<readonly StoredRun[]>;
  open(): AsyncIterable<StoredRun>;
  countOpen(): Promise<number>;
  close(): Promise<void>;
}

const connectMs = 2_000;
/** How many histories to fetch ahead of the one being replayed. */
const ahead = 4;

export const isLeadId = (word: string): boolean => leadIdForm.test(word);

export async function runsOf(config: Config): Promise<Runs> {
  const { connection, namespace } = await connect(config, connectMs);
  const client = new Client({ connection, namespace, dataConverter: dataConverter(localKeys(config)) });
  // Include the runs of holds, because the new build continues them, too. A lock without a first task has nothing to replay.
  const query = openRunsQuery(config.TASK_QUEUE);
  return {
    async ofLead(leadId) {
      const attempts = await attemptsOf(client, leadId).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        throw new CommandError(`The engine has no run of lead ${leadId} (namespace ${namespace})`, statuses.no);
      });
      return Promise.all(attempts.map((run) => storedOf(client, run)));
    },
    countOpen: async () => (await client.workflow.count(query)).count,
    open: () => storedRuns(client, query),
    close: () => connection.close(),
  };
}

async function storedOf(client: Client, { workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>): Promise<StoredRun> {
  return { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
}

/** The runs that a query finds, with their histories. */
export async function* storedRuns(client: Client, query: string): AsyncIterable<StoredRun> {
  const waiting: Promise<StoredRun>[] = [];
  for await (const run of client.workflow.list({ query })) {
    const stored = storedOf(client, run);
    // Handle the rejection here, because the consumer may stop before it awaits this promise.
    stored.catch(() => undefined);
    waiting.push(stored);
    const first = waiting.length > ahead ? waiting.shift() : undefined;
    if (first) yield await first;
  }
  for (const each of waiting) yield await each;
}
