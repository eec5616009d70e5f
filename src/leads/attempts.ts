/**
 * Finds the attempts of a lead. The state of the newest attempt is the state of the lead. A lead's id is the address of its first run, and
 * the workflow id of a redrive has the number of its attempt, so the runs are read directly and not from the index, which lags behind. Only
 * lists and counts use the index.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, workflowIdOf } from '../domain/ids';
import { memoOf } from '../domain/memo';
import { describe, type RunDescription } from '../temporal/ask';
import { hasFailed, leadIdOfRun, newestOfChain, unknownLead, type ChainRun } from './runs';
import { listUnder, listAfterLag } from './search';

/** Retention removes the oldest attempts first. If the first one is gone, this many later ones are looked up at once. */
const attemptsAtOnce = 8;

/** Returns every attempt that the engine still has, oldest first. */
export async function attemptsOf(client: Client, leadId: string): Promise<[RunDescription, ...RunDescription[]]> {
  if (!leadIdForm.test(leadId)) throw unknownLead();
  const first = await firstRun(client, leadId);
  const own = first ? leadIdOfRun(first) : leadId;
  const earliest = first ?? (await earliestRedrive(client, own));
  if (!earliest) throw unknownLead();
  const attempts: [RunDescription, ...RunDescription[]] = [earliest];
  // Only a failed attempt can have a redrive.
  for (let last: RunDescription | undefined = earliest; last && hasFailed(last);) {
    last = await describe(client, nextAttemptIdOf(last));
    if (last) attempts.push(last);
  }
  return attempts;
}

export const newestIn = (attempts: readonly [RunDescription, ...RunDescription[]]): RunDescription => attempts.at(-1) ?? attempts[0];

export const newestRun = async (client: Client, leadId: string): Promise<RunDescription> => newestIn(await attemptsOf(client, leadId));

/** The workflow id of the next attempt. An attempt is the newest of its lead if no run has this id. */
export const nextAttemptIdOf = (run: ChainRun): string => attemptIdOf(leadIdOfRun(run), attemptIn(run.workflowId) + 1);

/** The workflow id of the attempt before this redrive. */
export const previousAttemptIdOf = (redrive: string): string =>
  attemptIdOf(leadIdOf({ workflowId: redrive, runId: '' }), attemptIn(redrive) - 1);

/** Returns those of the failed attempts that have a redrive in the index. */
export async function findRedriven<R extends ChainRun>(
  list: (query: string) => Promise<WorkflowExecutionInfo[]>,
  failed: readonly R[],
): Promise<ReadonlySet<R>> {
  const redrives = new Set((await listUnder(list, failed.map(nextAttemptIdOf))).map(({ workflowId }) => workflowId));
  return new Set(failed.filter((run) => redrives.has(nextAttemptIdOf(run))));
}

/** Returns the newest of these runs of each lead, by lead id: the last run of its newest attempt. Runs of no lead are left out. */
export function newestByLead<R extends ChainRun & Pick<WorkflowExecutionInfo, 'startTime'>>(runs: readonly R[]): ReadonlyMap<string, R> {
  const oldestFirst = (one: R, other: R) =>
    attemptIn(one.workflowId) - attemptIn(other.workflowId) || one.startTime.getTime() - other.startTime.getTime();
  return new Map(
    runs
      .filter(leadIdOfRun)
      .toSorted(oldestFirst)
      .map((run) => [leadIdOfRun(run), run]),
  );
}

async function firstRun(client: Client, leadId: string): Promise<RunDescription | undefined> {
  const address = addressOf(leadId);
  if (!address) return findUnconfirmed(client, leadId);
  return newestOfChain(client, address);
}

/** Finds the run of an unconfirmed start, whose lead id has a nonce instead of a run id. Searches if a newer run has the workflow id. */
async function findUnconfirmed(client: Client, leadId: string): Promise<RunDescription | undefined> {
  const workflowId = workflowIdOf(leadId);
  const isIt = (run: Pick<RunDescription, 'memo'>) => memoOf(run)?.nonce === nonceIn(leadId);
  const newest = await describe(client, workflowId);
  if (!newest || isIt(newest)) return newest;
  const older = (await listAfterLag(client, `WorkflowId = '${workflowId}'`)).find(isIt);
  return older && describe(client, workflowId, older.runId);
}

async function earliestRedrive(client: Client, leadId: string): Promise<RunDescription | undefined> {
  if (!addressOf(leadId)) return undefined;
  const numbers = Array.from({ length: attemptsAtOnce }, (_, at) => at + 2);
  return (await Promise.all(numbers.map((attempt) => describe(client, attemptIdOf(leadId, attempt))))).find(Boolean);
}
