/**
 * Finds the attempts of a lead, and the newest of them: the lead stands as that one does. A lead's id is the address of its first run, and
 * each redrive runs under an id with the number of its attempt. So the engine is asked for exactly these runs, and not its index, which lags
 * behind. Only lists and counts, which have the runs from the index, compare those.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, workflowIdOf } from '../domain/ids';
import { memoOf } from '../domain/memo';
import { describe, type Found } from '../temporal/ask';
import { hasFailed, leadIdOfRun, newestOfChain, unknownLead, type InChain } from './runs';
import { listUnder, searchSettled } from './search';

/** The engine's retention removes the oldest attempts first. If the first is gone, this many later ones are looked for at once. */
const attemptsAtOnce = 8;

/** Every attempt that the engine still has, the oldest first. */
export async function attemptsOf(client: Client, leadId: string): Promise<[Found, ...Found[]]> {
  if (!leadIdForm.test(leadId)) throw unknownLead();
  const first = await firstRun(client, leadId);
  const own = first ? leadIdOfRun(first) : leadId;
  const earliest = first ?? (await earliestRedrive(client, own));
  if (!earliest) throw unknownLead();
  const attempts: [Found, ...Found[]] = [earliest];
  // A redrive may follow a run that ended without a delivery.
  for (let last: Found | undefined = earliest; last && hasFailed(last);) {
    last = await describe(client, attemptIdOf(own, attemptIn(last.workflowId) + 1));
    if (last) attempts.push(last);
  }
  return attempts;
}

export const newestIn = (attempts: readonly [Found, ...Found[]]): Found => attempts.at(-1) ?? attempts[0];

/** The lead's newest attempt, whose state is the lead's. */
export const newestRun = async (client: Client, leadId: string): Promise<Found> => newestIn(await attemptsOf(client, leadId));

/** The workflow id of the attempt after this one. An attempt is the newest of its lead if no run has this id. */
export const nextAttemptIdOf = (run: InChain): string => attemptIdOf(leadIdOfRun(run), attemptIn(run.workflowId) + 1);

/** The workflow id of the attempt that a redrive has followed. */
export const previousAttemptIdOf = (redrive: string): string =>
  attemptIdOf(leadIdOf({ workflowId: redrive, runId: '' }), attemptIn(redrive) - 1);

/** Of these failed attempts, those that a redrive has followed, as the index knows. */
export async function redrivenAmong<R extends InChain>(
  list: (query: string) => Promise<WorkflowExecutionInfo[]>,
  failed: readonly R[],
): Promise<ReadonlySet<R>> {
  const redrives = new Set((await listUnder(list, failed.map(nextAttemptIdOf))).map(({ workflowId }) => workflowId));
  return new Set(failed.filter((run) => redrives.has(nextAttemptIdOf(run))));
}

/** The newest of these runs of each lead, by the lead's id: of its newest attempt the last run of the chain. Other runs are left out. */
export function newestByLead<R extends InChain & Pick<WorkflowExecutionInfo, 'startTime'>>(runs: readonly R[]): ReadonlyMap<string, R> {
  const byAge = (one: R, other: R) =>
    attemptIn(one.workflowId) - attemptIn(other.workflowId) || one.startTime.getTime() - other.startTime.getTime();
  return new Map(
    runs
      .filter(leadIdOfRun)
      .toSorted(byAge)
      .map((run) => [leadIdOfRun(run), run]),
  );
}

async function firstRun(client: Client, leadId: string): Promise<Found | undefined> {
  const address = addressOf(leadId);
  if (!address) return unconfirmed(client, leadId);
  return newestOfChain(client, address);
}

/** Finds the run of a start that broke off: its lead id holds a nonce, no run id. If a newer run took the workflow id, it must search. */
async function unconfirmed(client: Client, leadId: string): Promise<Found | undefined> {
  const workflowId = workflowIdOf(leadId);
  const isIt = (run: Pick<Found, 'memo'>) => memoOf(run)?.nonce === nonceIn(leadId);
  const newest = await describe(client, workflowId);
  if (!newest || isIt(newest)) return newest;
  const older = (await searchSettled(client, `WorkflowId = '${workflowId}'`)).find(isIt);
  return older && describe(client, workflowId, older.runId);
}

async function earliestRedrive(client: Client, leadId: string): Promise<Found | undefined> {
  if (!addressOf(leadId)) return undefined;
  const numbers = Array.from({ length: attemptsAtOnce }, (_, at) => at + 2);
  return (await Promise.all(numbers.map((attempt) => describe(client, attemptIdOf(leadId, attempt))))).find(Boolean);
}
