/** Lists the upstreams, open or held, for GET /api/upstreams. It asks each hold's run: a circuit breaker knows its own worker only. */
import type { Client } from '@temporalio/client';
import { addresses, type Upstreams } from '../config/upstreams';
import { holdId, holdPrefix, openHolds, upstreamNames, type Destination, type HoldReport, type UpstreamName } from '../domain/hold';
import type { JsonObject } from '../domain/lead';
import { within } from '../temporal/deadline';
import { listRuns } from './search';

const listDeadlineMs = 5_000;
const askDeadlineMs = 2_000;

/** A hold that no worker answers for has no last error: only its name and start are known. */
export type Hold = Omit<HoldReport, 'lastError'> & Partial<Pick<HoldReport, 'lastError'>>;

export interface Holds {
  /** All open holds. */
  list(): Promise<Hold[]>;
  /** The report of one hold; undefined if it has ended or no worker answers. */
  of(destination: Destination): Promise<HoldReport | undefined>;
}

export function createHolds(client: Client, taskQueue: string): Holds {
  const prefix = holdPrefix(taskQueue);

  const ask = (workflowId: string, runId?: string) =>
    within(client, Date.now() + askDeadlineMs, () => client.workflow.getHandle(workflowId, runId).query<HoldReport>('hold')).catch(
      () => undefined,
    );

  /** A hold that cannot be asked is still listed, with its name and start. */
  function known(workflowId: string, startTime: Date): Hold {
    const [upstream = '', ...instance] = workflowId.slice(prefix.length).split(':');
    const since = startTime.toISOString();
    return { upstream: upstream as UpstreamName, instance: instance.join(':'), state: 'held', since, failures: 0, waiting: 0 };
  }

  return {
    of: (destination) => ask(holdId(taskQueue, destination)),
    async list() {
      const runs = await listRuns(client, openHolds(taskQueue), { withinMs: listDeadlineMs });
      return Promise.all(
        runs.map(async ({ workflowId, runId, startTime }) => (await ask(workflowId, runId)) ?? known(workflowId, startTime)),
      );
    },
  };
}

export function createUpstreamList(holds: Pick<Holds, 'list'>, upstreams: Upstreams): () => Promise<JsonObject> {
  return async () => {
    const held = (await holds.list()).map((hold) => ({ ...hold, instance: hold.instance || undefined }));
    const open = upstreamNames
      .filter((upstream) => addresses[upstream].some((need) => upstreams.find(need)) && !held.some((each) => each.upstream === upstream))
      .map((upstream) => ({ upstream, state: 'open', failures: 0, waiting: 0 }));
    const all = [...held, ...open];
    return { success: true, count: all.length, upstreams: all };
  };
}
