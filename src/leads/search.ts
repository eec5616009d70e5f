/**
 * Searches the engine's index of runs, which lags behind the runs themselves. A process that has answered something about a lead waits
 * until the index shows it before it answers the next list, so it reads its own writes. Changes by other processes appear within the lag.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { setTimeout as pause } from 'node:timers/promises';
import { engineAway } from '../contract/errors';
import type { Address } from '../domain/ids';
import { isOver, type LeadReport, type LeadTrouble, type State } from '../domain/lead';
import { BoundedMap } from '../lib/bounded-map';
import { inTurns } from '../lib/in-turns';
import { askDeadlineMs, askEngine, describe, within } from '../temporal/ask';
import { attributeIn } from '../temporal/engine';

/** On a healthy engine the index lags by less than this. */
export const indexLagMs = 2_000;
/** Deadline of a list: even a large store is read in seconds, and a hanging engine must not hold the caller. */
const usuallyWithinMs = 30_000;
const pollMs = 20;
/** A change older than this counts as listed. */
const changeKeptMs = 5 * indexLagMs;
const isOld = ({ at }: { readonly at: number }): boolean => at < Date.now() - changeKeptMs;
/** Only this many of the newest changes are remembered. */
const mostChanges = 20_000;
/** Ids in one query. */
const batch = 200;

const { WORKFLOW_EXECUTION_STATUS_RUNNING: running } = temporal.api.enums.v1.WorkflowExecutionStatus;
export type Row = temporal.api.workflow.v1.IWorkflowExecutionInfo;

interface Bounds {
  readonly most?: number;
  readonly withinMs?: number;
}

/** All runs that match the query, or the first `most`. Throws if the list takes longer than `withinMs`. */
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

/** All runs under these workflow ids. `list` may ask for a part of them. */
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

/** The index's own rows of all runs that match, page by page. Their memos stay encrypted: a number or an id does not need them. */
export async function* rowPages(client: Client, query: string): AsyncGenerator<readonly Row[]> {
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

/** Lists after the index's lag, so that every run that began before the call is found. */
export async function searchSettled(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  await pause(indexLagMs);
  return listRuns(client, query);
}

/** A change that this process knows of one run. */
type Change = 'began' | (Pick<LeadReport, 'state' | 'updatedAt'> & { readonly trouble?: LeadTrouble });

interface Begun {
  readonly at: number;
  readonly run: Address;
  readonly hashes: readonly string[];
}

export interface Search {
  list(query: string, bounds?: Bounds): Promise<WorkflowExecutionInfo[]>;
  count(query: string, deadline?: number): Promise<number>;
  /** True if Temporal's own tools have reset the run: its lead goes on in another run. */
  wasReset(run: Address): Promise<boolean>;
  /** Notes a run that began, with its person's keyed hashes. */
  began(run: Address, hashes: readonly string[]): void;
  /** Notes a run's state that was answered, or is about to be. */
  changed(run: Address, change: Change): void;
  /** Runs with one of these hashes that began in this process lately: the index may not list them yet. */
  begun(hashes: readonly string[]): Address[];
  /** Resolves when the index shows all changes noted before the call. */
  caughtUp(): Promise<void>;
}

export function createSearch(client: Client): Search {
  const changes = new BoundedMap<string, { readonly at: number; readonly workflowId: string; readonly change: Change }>(mostChanges, isOld);
  const begun = new BoundedMap<string, Begun>(mostChanges, isOld);

  async function rowsOf(runIds: readonly string[]): Promise<Map<string, Row>> {
    const query = `RunId IN (${runIds.map((runId) => `'${runId}'`).join(', ')})`;
    const { namespace } = client.options;
    const { executions } = await askEngine(client, () =>
      client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: batch }),
    );
    return new Map((executions ?? []).map((row) => [row.execution?.runId ?? '', row]));
  }

  async function drop(pending: readonly string[]): Promise<void> {
    for (let at = 0; at < pending.length; at += batch) {
      const some = pending.slice(at, at + batch);
      const before = new Map(some.map((runId) => [runId, changes.get(runId)]));
      const rows = await rowsOf(some);
      for (const [runId, known] of before) {
        if (!known || changes.get(runId) !== known) continue;
        const row = rows.get(runId);
        // A run that was erased is never listed again, so its change is dropped.
        if (isListed(row, known.change) || (!row && !(await describe(client, known.workflowId, runId)))) changes.delete(runId);
      }
    }
  }

  async function catchUp(): Promise<void> {
    const now = Date.now();
    changes.prune();
    const asked = new Map(changes);
    const left = () => [...asked].flatMap(([runId, change]) => (changes.get(runId) === change ? [runId] : []));
    for (let pending = left(); pending.length > 0; pending = left()) {
      await drop(pending);
      if (left().length === 0) return;
      if (Date.now() > now + changeKeptMs) throw engineAway('The search index of the engine is behind');
      await pause(pollMs);
    }
  }

  /** Lists that wait at the same time share one catch-up. */
  const caughtUp = inTurns(catchUp);

  return {
    list: (query, bounds) => listRuns(client, query, bounds),
    count: async (query, deadline = Date.now() + askDeadlineMs) =>
      (await within(client, deadline, () => client.workflow.count(query))).count,
    wasReset: async ({ workflowId, runId }) => Boolean((await describe(client, workflowId, runId))?.raw.workflowExtendedInfo?.resetRunId),
    began: (run, hashes) => void begun.set(run.runId, { at: Date.now(), run, hashes }),
    changed: ({ workflowId, runId }, change) => void changes.set(runId, { at: Date.now(), workflowId, change }),
    begun: (hashes) =>
      [...begun.values()].filter((one) => !isOld(one) && one.hashes.some((hash) => hashes.includes(hash))).map(({ run }) => run),
    caughtUp,
  };
}

function isListed(row: Row | undefined, change: Change): boolean {
  if (row === undefined || change === 'began') return row !== undefined;
  if (row.status !== running) return true;
  if (isOver(change)) return false;
  const { state, trouble } = change;
  const isSame = !trouble || (read(row, 'LeadCode') === trouble.code && read(row, 'LeadUpstream') === (trouble.upstream ?? ''));
  return (
    (isSame && read(row, 'LeadState') === (state satisfies State)) ||
    Date.parse(read(row, 'LeadUpdatedAt')) >= Date.parse(change.updatedAt ?? '')
  );
}

const read = ({ searchAttributes }: Row, name: string): string => String(attributeIn(searchAttributes?.indexedFields?.[name]) ?? '');

/** Tells whether the index shows the LeadUpdatedAt that a run has set to this moment, or a later one. */
export async function isMarked(client: Client, runId: string, moment: string): Promise<boolean> {
  const { namespace } = client.options;
  const query = `RunId = '${runId}'`;
  const { executions } = await askEngine(client, () => client.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 }));
  const [row] = executions ?? [];
  return row !== undefined && Date.parse(read(row, 'LeadUpdatedAt')) >= Date.parse(moment);
}
