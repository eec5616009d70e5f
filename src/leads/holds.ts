/** Lists the upstreams, open or held, for GET /api/upstreams. It asks each hold's run: a circuit breaker knows its own worker only. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { addresses, type Upstreams } from '../config/upstreams';
import { holdPrefix, openHolds, upstreamNames, type HoldReport, type UpstreamName } from '../domain/hold';
import type { JsonObject } from '../domain/lead';
import { within } from '../temporal/deadline';
import { listRuns } from './search';

const listDeadlineMs = 5_000;
const askDeadlineMs = 2_000;

/** A hold that no worker answers for has no last error: only its name and start are known. */
export type Hold = Omit<HoldReport, 'lastError'> & Partial<Pick<HoldReport, 'lastError'>>;

export function createHolds(client: Client, taskQueue: string): () => Promise<Hold[]> {
  const prefix = holdPrefix(taskQueue);

  /** The report of a hold. If no worker answers, the hold is still listed, with its name and start. */
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
