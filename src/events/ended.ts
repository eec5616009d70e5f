/**
 * Publishes the end of leads whose run was ended outside of Leadgate. Such a run cannot publish its own event, so it is found in the engine's
 * index. The outbox deduplicates events, so several workers may search at the same time.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Config } from '../config/config';
import { attemptIn } from '../domain/ids';
import type { KeyRing } from '../keys/ring';
import { endedOutside } from '../leads/lead-queries';
import { createDecryptableReader } from '../leads/decryptable';
import { endedOutsideFailure, leadInputOf, leadIdOfRun, ignoreLeadNotFound, wasEndedOutside } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import { listRuns } from '../leads/search';
import { BoundedMap } from '../lib/bounded-map';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { askEngine, type RunDescription } from '../temporal/ask';
import { createEventOutbox } from './outbox';

/** The most runs that a process remembers, so that it checks each of them once. */
const mostKnown = 10_000;

export interface EndedEvents {
  /** Hands the event of this attempt's end to the lead's outbox; does nothing if the lead has no receivers. */
  publish(run: RunDescription): Promise<void>;
  /** Publishes every end that is not published yet. */
  publishMissing(): Promise<void>;
}

export interface EndedEventsNeeds {
  readonly client: Client;
  readonly config: Pick<Config, 'TASK_QUEUE'>;
  readonly keys: KeyRing;
  /** The moment of the copy that the stored runs were restored from, if they were. */
  readonly copiedAt?: number;
}

export function createEndedEvents({ client, config: { TASK_QUEUE: taskQueue }, keys, copiedAt }: EndedEventsNeeds): EndedEvents {
  const outbox = createEventOutbox({ client, keys, taskQueue, copiedAt });
  const readDecryptable = createDecryptableReader(keys);
  const checked = new BoundedMap<string, true>(mostKnown);

  async function publish(run: RunDescription): Promise<void> {
    const { events: order } = await leadInputOf(client, run);
    if (!order) return;
    const [flow = ''] = (run.searchAttributes.LeadFlow ?? []) as string[];
    const at = (run.closeTime ?? run.startTime).toISOString();
    const failure = endedOutsideFailure(run);
    const attempt = { leadId: leadIdOfRun(run), attempt: attemptIn(run.workflowId) };
    await outbox.handOverEnd({ type: 'lead.failed', ...attempt, at, flow, state: 'failed', step: failure.step, failure }, order, run);
  }

  const listEnded = async (): Promise<WorkflowExecutionInfo[]> => {
    const queries = endedOutside.map((condition) => `TaskQueue = '${taskQueue}' AND ${condition}`);
    const lists = await Promise.all(queries.map((query) => readDecryptable((only) => listRuns(client, query + only))));
    return lists.flat();
  };

  /** During an erasure, runs are cancelled and then deleted: they publish nothing. */
  async function isErasing(): Promise<boolean> {
    const open = `WorkflowType = 'erasePerson' AND TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    return (await askEngine(client, () => client.workflow.count(open))).count > 0;
  }

  /** A run that was reset or redriven is not the newest of its lead. */
  async function publishListed(listed: WorkflowExecutionInfo): Promise<void> {
    const newest = await newestRun(client, leadIdOfRun(listed)).catch(ignoreLeadNotFound);
    if (newest?.runId === listed.runId && wasEndedOutside(newest)) await publish(newest);
    checked.set(listed.runId, true);
  }

  return {
    publish,
    async publishMissing() {
      const ended = (await listEnded()).filter(({ runId }) => !checked.has(runId));
      if (ended.length === 0 || (await isErasing())) return;
      for (const run of ended)
        await publishListed(run).catch((error: unknown) => {
          log.warn('the event of an ended run could not be published; it is retried', {
            leadId: leadIdOfRun(run),
            reason: errorNameOf(error),
          });
        });
    },
  };
}
