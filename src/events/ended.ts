/**
 * Publishes the end of leads whose run was ended outside of Leadgate. Such a run cannot publish its own event, so it is found in the engine's
 * index. The outbox deduplicates events, so several workers may search at the same time.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Config } from '../config/config';
import { attemptIn } from '../domain/ids';
import type { KeyRing } from '../keys/ring';
import { endedOutside } from '../leads/lead-queries';
import { legibleWith } from '../leads/legible';
import { endOf, inputOf, leadIdOfRun, unlessNoLead, wasEndedOutside } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import { listRuns } from '../leads/search';
import { BoundedMap } from '../lib/bounded-map';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { askEngine, type Found } from '../temporal/ask';
import { createEventOutbox } from './outbox';

/** The most runs that a process remembers, so that it checks each of them once. */
const mostKnown = 10_000;

export interface EndedEvents {
  /** Hands the event of this attempt's end to the lead's outbox; does nothing if the lead has no receivers. */
  tell(run: Found): Promise<void>;
  /** Publishes every end that is not published yet. */
  look(): Promise<void>;
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
  const legible = legibleWith(keys);
  const known = new BoundedMap<string, true>(mostKnown);

  async function tell(run: Found): Promise<void> {
    const { events: order } = await inputOf(client, run);
    if (!order) return;
    const [flow = ''] = (run.searchAttributes.LeadFlow ?? []) as string[];
    const at = (run.closeTime ?? run.startTime).toISOString();
    const failure = endOf(run);
    const attempt = { leadId: leadIdOfRun(run), attempt: attemptIn(run.workflowId) };
    await outbox.handOverEnd({ type: 'lead.failed', ...attempt, at, flow, state: 'failed', step: failure.step, failure }, order, run);
  }

  const listEnded = async (): Promise<WorkflowExecutionInfo[]> => {
    const queries = endedOutside.map((stands) => `TaskQueue = '${taskQueue}' AND ${stands}`);
    const lists = await Promise.all(queries.map((query) => legible((only) => listRuns(client, query + only))));
    return lists.flat();
  };

  /** During an erasure, runs are cancelled and then deleted: they publish nothing. */
  async function isErasing(): Promise<boolean> {
    const open = `WorkflowType = 'erasePerson' AND TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    return (await askEngine(client, () => client.workflow.count(open))).count > 0;
  }

  /** A run that was reset or redriven is not the newest of its lead. */
  async function tellListed(listed: WorkflowExecutionInfo): Promise<void> {
    const newest = await newestRun(client, leadIdOfRun(listed)).catch(unlessNoLead);
    if (newest?.runId === listed.runId && wasEndedOutside(newest)) await tell(newest);
    known.set(listed.runId, true);
  }

  return {
    tell,
    async look() {
      const ended = (await listEnded()).filter(({ runId }) => !known.has(runId));
      if (ended.length === 0 || (await isErasing())) return;
      for (const run of ended)
        await tellListed(run).catch((error: unknown) => {
          log.warn('the event of an ended run could not be published; it is retried', { leadId: leadIdOfRun(run), reason: errorNameOf(error) });
        });
    },
  };
}
