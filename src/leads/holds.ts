/**
 * Lists the upstreams for GET /api/upstreams: open, held or paused. It asks each hold's run, because a circuit breaker knows its own worker
 * only.
 */
import type { Client } from '@temporalio/client';
import { addresses, boardAddress, type Upstreams } from '../config/upstreams';
import { holdId, heldBy, openHolds, type HoldReport } from '../domain/hold';
import type { Pause } from '../domain/pauses';
import { isAt, upstreamNames, type Destination, type UpstreamName } from '../domain/upstreams';
import type { JsonObject } from '../domain/lead';
import { askDeadlineMs, askEngine, isNoRun } from '../temporal/ask';
import { createPauses, type Pauses } from './pauses';
import { listRuns } from './search';

/** More are never asked for at once. */
const mostHolds = 1_000;

export interface Holds {
  /** All open holds and all pauses. */
  list(): Promise<HoldReport[]>;
  /** The report of one hold; undefined if there is none or no worker answers. */
  of(destination: Destination): Promise<HoldReport | undefined>;
}

export function createHolds(client: Client, taskQueue: string): Holds {
  const pauses = createPauses(client, taskQueue);

  const report = (workflowId: string, runId?: string) =>
    askEngine(client, () => client.workflow.getHandle(workflowId, runId).query<HoldReport>('hold'));
  const ask = (workflowId: string, runId?: string) => report(workflowId, runId).catch(() => undefined);

  /** A hold that no worker answers for: only its name and start are known. */
  function known(workflowId: string, startTime: Date): HoldReport {
    return { ...heldBy(taskQueue, workflowId), state: 'held', since: startTime.toISOString() };
  }

  async function openOnes(): Promise<HoldReport[]> {
    const runs = await listRuns(client, openHolds(taskQueue), { withinMs: askDeadlineMs });
    return Promise.all(
      runs.map(async ({ workflowId, runId, startTime }) => (await ask(workflowId, runId)) ?? known(workflowId, startTime)),
    );
  }

  /** The index may not show a hold that has just begun, so the line of a pause is asked by its name. */
  async function pausedOnes(): Promise<HoldReport[]> {
    const line = (pause: Pause): Promise<Pick<HoldReport, 'failures' | 'waiting'>> =>
      report(holdId(taskQueue, pause)).then(
        ({ failures, waiting }) => ({ failures, waiting }),
        (error) => (isNoRun(error) ? { failures: 0, waiting: 0 } : {}),
      );
    return Promise.all((await pauses.list()).map(async (pause) => ({ ...pause, state: 'paused', ...(await line(pause)) })));
  }

  return {
    of: (destination) => ask(holdId(taskQueue, destination)),
    async list() {
      const [paused, holds] = await Promise.all([pausedOnes(), openOnes()]);
      return [...paused, ...holds.filter((hold) => !paused.some(isAt(hold)))];
    },
  };
}

/** What leads cannot go to now, because it is held or paused. */
export async function stoppedDestinations(client: Client, taskQueue: string): Promise<Destination[]> {
  const { namespace } = client.options;
  const query = openHolds(taskQueue);
  const [{ executions }, paused] = await Promise.all([
    askEngine(client, () => client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: mostHolds })),
    createPauses(client, taskQueue).list(),
  ]);
  return [...(executions ?? []).map(({ execution }) => heldBy(taskQueue, execution?.workflowId ?? '')), ...paused];
}

const taskBoard = 'task-board';
type Listed = UpstreamName | typeof taskBoard;

/** Every upstream has a row of its own, besides those of its instances. The task board takes no leads, so it is always open. */
export function createUpstreamList(
  holds: Pick<Holds, 'list'>,
  pauses: Pick<Pauses, 'changes'>,
  upstreams: Upstreams,
): () => Promise<JsonObject> {
  const addressesOf = (name: Listed) =>
    (name === taskBoard ? [boardAddress] : addresses[name]).flatMap((need) => upstreams.find(need) ?? []);
  const sandbox = (name: Listed) => addressesOf(name).every((address) => address.sandbox) || undefined;
  const named = <T extends Destination>(one: T) => ({ ...one, instance: one.instance || undefined });
  return async () => {
    const [found, past] = await Promise.all([holds.list(), pauses.changes()]);
    const held = found.map(named);
    const open = [...upstreamNames, taskBoard as Listed]
      .filter((upstream) => addressesOf(upstream).length > 0 && !held.some((each) => each.upstream === upstream && !each.instance))
      .map((upstream) => ({ upstream, state: 'open', failures: 0, waiting: 0 }));
    const all = [...held, ...open].map((each) => ({ ...each, sandbox: sandbox(each.upstream) }));
    return { success: true, count: all.length, upstreams: all, changes: past.map(named) };
  };
}
