/**
 * Lists the upstreams for GET /api/upstreams: open, held or paused. Queries the run of each hold, because a circuit breaker knows only its
 * own worker.
 */
import type { Client } from '@temporalio/client';
import { addresses, boardAddress, type Upstreams } from '../config/upstreams';
import { holdId, holdDestination, openHolds, type HoldQueryResult, type HoldReport } from '../domain/hold';
import type { Pause } from '../domain/pauses';
import { isAt, upstreamNames, type Destination, type UpstreamName } from '../domain/upstreams';
import type { JsonObject } from '../domain/lead';
import { askDeadlineMs, askEngine, describe, isRunNotFound } from '../temporal/ask';
import { createPauses, type Pauses } from './pauses';
import { leadIdOfRun } from './runs';
import { listRuns } from './search';

/** The page size of the list of holds. */
const mostHolds = 1_000;

export interface Holds {
  /** Returns all open holds and all pauses. */
  list(): Promise<HoldReport[]>;
  /** Returns the report of one hold; undefined if there is none or no worker answers. */
  of(destination: Destination): Promise<HoldReport | undefined>;
}

export function createHolds(client: Client, taskQueue: string): Holds {
  const pauses = createPauses(client, taskQueue);

  const report = (workflowId: string, runId?: string) =>
    askEngine(client, () => client.workflow.getHandle(workflowId, runId).query<HoldQueryResult>('hold'));
  const ask = (workflowId: string, runId?: string) => report(workflowId, runId).catch(() => undefined);

  /** Reports a hold whose worker does not answer: only its name and start are known. */
  function reportWithoutWorker(workflowId: string, startTime: Date): HoldReport {
    return { ...holdDestination(taskQueue, workflowId), state: 'held', since: startTime.toISOString() };
  }

  /** Names the lead that failed last by its id, which is made from its first run. An erased lead has none. */
  async function withLeadId({ failedLast, ...hold }: HoldQueryResult): Promise<HoldReport> {
    const run = failedLast && (await describe(client, failedLast.workflowId, failedLast.runId).catch(() => undefined));
    return { ...hold, ...(run && { leadId: leadIdOfRun(run) }) };
  }

  async function listHolds(): Promise<HoldReport[]> {
    const runs = await listRuns(client, openHolds(taskQueue), { withinMs: askDeadlineMs });
    return Promise.all(
      runs.map(async ({ workflowId, runId, startTime }) => {
        const hold = await ask(workflowId, runId);
        return hold ? withLeadId(hold) : reportWithoutWorker(workflowId, startTime);
      }),
    );
  }

  /** The index may not show a new hold yet, so the waiting line of a pause is queried by its workflow id. */
  async function listPauses(): Promise<HoldReport[]> {
    const line = (pause: Pause): Promise<Pick<HoldReport, 'failures' | 'waiting'>> =>
      report(holdId(taskQueue, pause)).then(
        ({ failures, waiting }) => ({ failures, waiting }),
        (error) => (isRunNotFound(error) ? { failures: 0, waiting: 0 } : {}),
      );
    return Promise.all((await pauses.list()).map(async (pause) => ({ ...pause, state: 'paused', ...(await line(pause)) })));
  }

  return {
    of: (destination) => ask(holdId(taskQueue, destination)),
    async list() {
      const [paused, holds] = await Promise.all([listPauses(), listHolds()]);
      return [...paused, ...holds.filter((hold) => !paused.some(isAt(hold)))];
    },
  };
}

/** Returns the destinations that are held or paused. */
export async function stoppedDestinations(client: Client, taskQueue: string): Promise<Destination[]> {
  const { namespace } = client.options;
  const query = openHolds(taskQueue);
  const [{ executions }, paused] = await Promise.all([
    askEngine(client, () => client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: mostHolds })),
    createPauses(client, taskQueue).list(),
  ]);
  return [...(executions ?? []).map(({ execution }) => holdDestination(taskQueue, execution?.workflowId ?? '')), ...paused];
}

const taskBoard = 'task-board';
type ListedUpstream = UpstreamName | typeof taskBoard;

/** Lists every upstream and its held or paused instances. The task board takes no leads, so it is always open. */
export function createUpstreamList(
  holds: Pick<Holds, 'list'>,
  pauses: Pick<Pauses, 'changes'>,
  upstreams: Upstreams,
): () => Promise<JsonObject> {
  const addressesOf = (name: ListedUpstream) =>
    (name === taskBoard ? [boardAddress] : addresses[name]).flatMap((need) => upstreams.find(need) ?? []);
  const sandbox = (name: ListedUpstream) => addressesOf(name).every((address) => address.sandbox) || undefined;
  const named = <T extends Destination>(one: T) => ({ ...one, instance: one.instance || undefined });
  return async () => {
    const [found, past] = await Promise.all([holds.list(), pauses.changes()]);
    const held = found.map(named);
    const open = [...upstreamNames, taskBoard as ListedUpstream]
      .filter((upstream) => addressesOf(upstream).length > 0 && !held.some((each) => each.upstream === upstream && !each.instance))
      .map((upstream) => ({ upstream, state: 'open', failures: 0, waiting: 0 }));
    const all = [...held, ...open].map((each) => ({ ...each, sandbox: sandbox(each.upstream) }));
    return { success: true, count: all.length, upstreams: all, changes: past.map(named) };
  };
}
