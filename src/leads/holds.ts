/** Which upstreams are open and which are held. The holds are asked themselves: what a worker thinks is its own business. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { addresses } from '../config/needs';
import type { Upstreams } from '../config/upstreams';
import { holdPrefix, openHolds, upstreamNames, type HoldReport, type UpstreamName } from '../domain/hold';
import type { JsonObject } from '../domain/lead';
import { within } from '../temporal/deadline';
import { listRuns } from './search';

const listDeadlineMs = 5_000;
const askDeadlineMs = 2_000;

/** A hold that no worker answers for has no more than its name. */
export type Hold = Omit<HoldReport, 'lastError'> & Partial<Pick<HoldReport, 'lastError'>>;

export function createHolds(client: Client, taskQueue: string): () => Promise<Hold[]> {
  const prefix = holdPrefix(taskQueue);

  /** A hold that no worker answers for is still a hold. */
  async function report({ workflowId, runId, startTime }: WorkflowExecutionInfo): Promise<Hold> {
    const ask = () => client.workflow.getHandle(workflowId, runId).query<HoldReport>('hold');
    const said = await within(client, Date.now() + askDeadlineMs, ask).catch(() => undefined);
    if (said) return said;
    const [upstream = '', ...instance] = workflowId.slice(prefix.length).split(':');
    const since = startTime.toISOString();
    return { upstream: upstream as UpstreamName, instance: instance.join(':'), state: 'held', since, failures: 0, waiting: 0 };
  }

  return async () => Promise.all((await listRuns(client, openHolds(taskQueue), { withinMs: listDeadlineMs })).map(report));
}

export function createUpstreamList(holds: () => Promise<readonly Hold[]>, upstreams: Upstreams): () => Promise<JsonObject> {
  return async () => {
    const held = (await holds()).map((hold) => ({ ...hold, instance: hold.instance || undefined }));
    const open = upstreamNames
      .filter((upstream) => addresses[upstream].some((need) => upstreams.find(need)) && !held.some((each) => each.upstream === upstream))
      .map((upstream) => ({ upstream, state: 'open', failures: 0, waiting: 0 }));
    const all = [...held, ...open];
    return { success: true, count: all.length, upstreams: all };
  };
}
