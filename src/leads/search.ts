/**
 * Searches the engine's index of runs, which lags behind the runs. Before it lists, a process waits until the index shows what it has
 * already reported, so it reads its own writes. Changes by other processes appear within the lag.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { setTimeout as pause } from 'node:timers/promises';
import { engineAway } from '../contract/errors';
import type { Address } from '../domain/ids';
import { isOver, type LeadReport, type LeadTrouble, type State } from '../domain/lead';
import { BoundedMap } from '../lib/bounded-map';
import { coalesced } from '../lib/coalesced';
import { askDeadlineMs, askEngine, describe, within } from '../temporal/ask';
import { attributeIn } from '../temporal/engine';

/** On a healthy engine the index lags by less than this. */
export const indexLagMs = 2_000;
/** The deadline of a list: even a large store is read in seconds, and a caller must not wait for a hanging engine. */
const usuallyWithinMs = 30_000;
const pollMs = 20;
/** A change that is older than this counts as indexed. */
const changeKeptMs = 5 * indexLagMs;
const isOld = ({ at }: { readonly at: number }): boolean => at < Date.now() - changeKeptMs;
/** Only the latest changes are kept, at most this many. */
const mostChanges = 20_000;
/** Ids in one query. */
const batch = 200;

const { WORKFLOW_EXECUTION_STATUS_RUNNING: running } = temporal.api.enums.v1.WorkflowExecutionStatus;
export type IndexRow = temporal.api.workflow.v1.IWorkflowExecutionInfo;

interface Bounds {
  readonly most?: number;
  readonly withinMs?: number;
}

/** Lists all runs that match the query, or the first `most`. Throws if the list takes longer than `withinMs`. */
export function listRuns(
  client: Client,
  query: string,
  { most, withinMs = usuallyWithinMs }: Bounds = {},
): Promise<WorkflowExecutionInfo[]> {
  return within(client, Date.now() + withinMs, async () => {
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of client.workflow.list({ query, pageSize: most })) if (found.push(run) === most) break;
    return found;
  });
}

/** Lists all runs with these workflow ids, in batches. `list` may narrow each query. */
export async function listUnder(
  list: (query: string) => Promise<WorkflowExecutionInfo[]>,
  workflowIds: readonly string[],
): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for (let at = 0; at < workflowIds.length; at += batch) {
    const some = workflowIds.slice(at, at + batch).map((id) => `'${id}'`);
    found.push(...(await list(`WorkflowId IN (${some.join(', ')})`)));
  }
  return found;
}

const rowsOfPage = 1_000;

/** Yields the index's rows of all runs that match, page by page. Their memos stay encrypted. */
export async function* rowPages(client: Client, query: string): AsyncGenerator<readonly IndexRow[]> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await askEngine(client, () =>
      client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: rowsOfPage, nextPageToken }),
    );
    yield page.executions ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}

/** Lists after the index's lag, so that every run that started before the call is found. */
export async function listAfterLag(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  await pause(indexLagMs);
  return listRuns(client, query);
}

/** A change of one run that this process knows of. */
type Change = 'started' | (Pick<LeadReport, 'state' | 'updatedAt'> & { readonly trouble?: LeadTrouble });

interface StartedLead {
  readonly at: number;
  readonly run: Address;
  readonly hashes: readonly string[];
}

export interface Search {
  list(query: string, bounds?: Bounds): Promise<WorkflowExecutionInfo[]>;
  count(query: string, deadline?: number): Promise<number>;
  /** True if Temporal's own tools have reset the run: its lead continues in another run. */
  wasReset(run: Address): Promise<boolean>;
  /** Records that a run has started, with its person's keyed hashes. */
  recordStart(run: Address, hashes: readonly string[]): void;
  /** Records a run's state that is reported to a caller. */
  recordChange(run: Address, change: Change): void;
  /** Returns the runs with one of these hashes that this process started recently: the index may not list them yet. */
  recentlyStarted(hashes: readonly string[]): Address[];
  /** Resolves once the index shows all changes that were recorded before the call. */
  waitUntilIndexed(): Promise<void>;
}

export function createSearch(client: Client): Search {
  const changes = new BoundedMap<string, { readonly at: number; readonly workflowId: string; readonly change: Change }>(mostChanges, isOld);
  const started = new BoundedMap<string, StartedLead>(mostChanges, isOld);

  async function rowsOf(runIds: readonly string[]): Promise<Map<string, IndexRow>> {
    const query = `RunId IN (${runIds.map((runId) => `'${runId}'`).join(', ')})`;
    const { namespace } = client.options;
    const { executions } = await askEngine(client, () =>
      client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: batch }),
    );
    return new Map((executions ?? []).map((row) => [row.execution?.runId ?? '', row]));
  }

  async function dropIndexed(pending: readonly string[]): Promise<void> {
    for (let at = 0; at < pending.length; at += batch) {
      const some = pending.slice(at, at + batch);
      const before = new Map(some.map((runId) => [runId, changes.get(runId)]));
      const rows = await rowsOf(some);
      for (const [runId, known] of before) {
        if (!known || changes.get(runId) !== known) continue;
        const row = rows.get(runId);
        // An erased run is never listed again.
        if (isListed(row, known.change) || (!row && !(await describe(client, known.workflowId, runId)))) changes.delete(runId);
      }
    }
  }

  async function catchUp(): Promise<void> {
    const now = Date.now();
    changes.prune();
    const pendingChanges = new Map(changes);
    const notIndexed = () => [...pendingChanges].flatMap(([runId, change]) => (changes.get(runId) === change ? [runId] : []));
    for (let pending = notIndexed(); pending.length > 0; pending = notIndexed()) {
      await dropIndexed(pending);
      if (notIndexed().length === 0) return;
      if (Date.now() > now + changeKeptMs) throw engineAway('The search index of the engine lags behind');
      await pause(pollMs);
    }
  }

  /** Concurrent lists share one wait. */
  const waitUntilIndexed = coalesced(catchUp);

  return {
    list: (query, bounds) => listRuns(client, query, bounds),
    count: async (query, deadline = Date.now() + askDeadlineMs) =>
      (await within(client, deadline, () => client.workflow.count(query))).count,
    wasReset: async ({ workflowId, runId }) => Boolean((await describe(client, workflowId, runId))?.raw.workflowExtendedInfo?.resetRunId),
    recordStart: (run, hashes) => void started.set(run.runId, { at: Date.now(), run, hashes }),
    recordChange: ({ workflowId, runId }, change) => void changes.set(runId, { at: Date.now(), workflowId, change }),
    recentlyStarted: (hashes) =>
      [...started.values()].filter((one) => !isOld(one) && one.hashes.some((hash) => hashes.includes(hash))).map(({ run }) => run),
    waitUntilIndexed,
  };
}

function isListed(row: IndexRow | undefined, change: Change): boolean {
  if (row === undefined || change === 'started') return row !== undefined;
  if (row.status !== running) return true;
  if (isOver(change)) return false;
  const { state, trouble } = change;
  const isSame = !trouble || (read(row, 'LeadCode') === trouble.code && read(row, 'LeadUpstream') === (trouble.upstream ?? ''));
  return (
    (isSame && read(row, 'LeadState') === (state satisfies State)) ||
    Date.parse(read(row, 'LeadUpdatedAt')) >= Date.parse(change.updatedAt ?? '')
  );
}

const read = ({ searchAttributes }: IndexRow, name: string): string => String(attributeIn(searchAttributes?.indexedFields?.[name]) ?? '');

/** True if the index shows this LeadUpdatedAt of a run, or a later one. */
export async function isIndexed(client: Client, runId: string, moment: string): Promise<boolean> {
  const { namespace } = client.options;
  const query = `RunId = '${runId}'`;
  const { executions } = await askEngine(client, () => client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 }));
  const [row] = executions ?? [];
  return row !== undefined && Date.parse(read(row, 'LeadUpdatedAt')) >= Date.parse(moment);
}
