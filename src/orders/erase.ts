/**
 * Erases a person's runs: every run with one of the person's keyed hashes, and all other runs of the same leads. An open run is cancelled: it
 * starts no further step, finishes the send in progress, and is deleted once it has closed. A run that does not close in time is terminated.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { sumCounts, type EndedRun, type EraseSearch, type ErasedPerson, type EraseSearchResult, type ErasedCount } from '../domain/erase';
import { openHolds, type LeadResult } from '../domain/hold';
import { outboxIdOf } from '../domain/events';
import type { Address } from '../domain/ids';
import type { State } from '../domain/lead';
import { inGroups } from '../lib/in-groups';
import { log } from '../lib/log';
import {
  askEngine,
  cancelRun,
  deleteRun,
  describe,
  historyOf,
  terminateRun,
  type RunDescription,
  ignoreRunNotFound,
} from '../temporal/ask';
import { attributes } from '../temporal/engine';
import { attemptsOf, newestByLead } from '../leads/attempts';
import { wasCancelledWhileSending } from '../leads/possible-sends';
import { chainOf, isOpen, leadIdOfRun, ignoreLeadNotFound } from '../leads/runs';
import { indexLagMs, isIndexed, listRuns, listUnder } from '../leads/search';
import { isAtSite, shownSite } from '../leads/site-term';

const pollMs = 20;
/** One call searches repeatedly for this long, because a timer of the engine may fire a second late. */
const looksForMs = 3_000;
const betweenLooksMs = 100;
/** The engine deletes a run at once if it was closed this long ago; otherwise it retries only after three seconds. */
const deletableAfterMs = 1_200;
/** A cluster with default settings can delete a run only half a minute after its end. */
const deletedWithinMs = 45_000;
const atOnce = 8;
/** The reason of a termination, which the Temporal UI shows in clear. */
const terminationReason = 'erased';

export interface EraserNeeds {
  /** Must not decrypt anything, because the key of one of the person's runs may be lost. */
  readonly client: Client;
  readonly taskQueue: string;
  /** The longest time that an activity of a cancelled run may take. */
  readonly longestEndMs: number;
}

/** Returns the query that finds a person's runs in the index. */
export const personQuery = ({ emails, phones, patients, sites }: ErasedPerson): string => {
  const isOneOf = (name: string, hashes: readonly string[]) => hashes.map((hash) => `${name} = '${hash}'`);
  const { emails: email, phones: phone, patient } = attributes;
  const anyOf = [...isOneOf(email.name, emails), ...isOneOf(phone.name, phones), ...isOneOf(patient.name, patients)].join(' OR ');
  return sites ? `(${anyOf}) AND ${isAtSite(sites)}` : `(${anyOf})`;
};

export function createEraser({ client, taskQueue, longestEndMs }: EraserNeeds) {
  const handleOf = ({ workflowId, runId }: Address) => client.workflow.getHandle(workflowId, runId);
  const find = ({ workflowId, runId }: Address) => describe(client, workflowId, runId);

  /** True if the index has every run that started before `until`: it has the mark of that time, and the longest lag has passed. */
  const isListed = async (mark: Address, until: string): Promise<boolean> =>
    Date.now() > Date.parse(until) + indexLagMs && isIndexed(client, mark.runId, until);

  /** Reads all runs of a lead from the engine itself, because the index may not list the newest ones yet. */
  async function runsOf(leadId: string): Promise<RunDescription[]> {
    const attempts = (await attemptsOf(client, leadId).catch(ignoreLeadNotFound)) ?? [];
    return (await Promise.all(attempts.map((attempt) => chainOf(client, attempt)))).flat();
  }

  /** Finds the outboxes of these leads. The newest outbox of each lead is read directly, because the index may not list it yet. */
  async function outboxesOf(leadIds: readonly string[]): Promise<(RunDescription | undefined)[]> {
    const ids = leadIds.map(outboxIdOf);
    const newest = await inGroups(ids, atOnce, (id) => describe(client, id));
    const listed = await listUnder((query) => listRuns(client, query), ids);
    return [...newest, ...(await inGroups(listed, atOnce, find))];
  }

  /** Finds the runs to erase. `isInIndex`: the index lists one of them, or still lists a deleted one. */
  async function findRuns(look: EraseSearch): Promise<{ runs: RunDescription[]; isInIndex: boolean }> {
    const isOld = (run: WorkflowExecutionInfo) => run.startTime.toISOString() <= look.until || look.leadIds.includes(leadIdOfRun(run));
    const listed = (await listRuns(client, personQuery(look))).filter(isOld);
    const addresses = [...look.known, ...listed];
    const leadIds = [...new Set([...addresses.map(leadIdOfRun), ...look.leadIds].filter(Boolean))];
    const attempts = (await inGroups(leadIds, atOnce, runsOf)).flat();
    // A long order continues as new under the same workflow id.
    const orders = await inGroups(
      listed.filter(({ type }) => type === 'carryOrder'),
      atOnce,
      ({ workflowId }) => describe(client, workflowId),
    );
    const runs = [...(await inGroups(addresses, atOnce, find)), ...attempts, ...orders, ...(await outboxesOf(leadIds))];
    const found = new Map(runs.flatMap((run) => (run ? [[run.runId, run] as const] : [])));
    return { runs: [...found.values()], isInIndex: listed.length > 0 };
  }

  /** Ends an open run. A lock has no work in progress, so it is terminated. */
  async function end(run: RunDescription, isOverdue: boolean): Promise<void> {
    if (isOverdue) log.warn('a cancelled run did not close in time and is terminated', { workflowId: run.workflowId });
    await (run.type === 'lock' || isOverdue ? terminateRun(client, run, terminationReason) : cancelRun(client, run));
  }

  /** Notifies the holds that these runs are gone, so that the other leads in their waiting lines do not wait for them. */
  async function notifyHolds(ended: readonly Address[]): Promise<void> {
    if (ended.length === 0) return;
    for (const hold of await listRuns(client, openHolds(taskQueue)))
      await inGroups(ended, atOnce, ({ workflowId, runId }) =>
        askEngine(client, () => handleOf(hold).signal('heard', { workflowId, runId, heard: { said: 'gone' } } satisfies LeadResult)).catch(
          ignoreRunNotFound,
        ),
      );
  }

  async function remove({ endedAt, ...run }: EndedRun): Promise<void> {
    const deadline = Date.now() + deletedWithinMs;
    await pause(Math.max(0, deletableAfterMs - (Date.now() - Date.parse(endedAt))));
    await deleteRun(client, run);
    while (await find(run)) {
      if (Date.now() > deadline) throw new Error('The engine has not deleted a run yet');
      await pause(pollMs);
    }
  }

  async function eraseOnce(look: EraseSearch, mark: Address): Promise<EraseSearchResult> {
    const isCovered = await isListed(mark, look.until);
    const { runs, isInIndex } = await findRuns(look);
    const isOverdue = Date.now() > Date.parse(look.until) + longestEndMs;
    const open = runs.filter(isOpen);
    const [cancelled, others] = [open.filter(isCancelled), open.filter((run) => !isCancelled(run))];
    await inGroups([...others, ...(isOverdue ? cancelled : [])], atOnce, (run) => end(run, isOverdue));
    const ended = runs.filter((run) => !isOpen(run));
    await notifyHolds(ended);
    const sendingOf = async (run: RunDescription) => {
      if (wasLookedUp(run)) return [run];
      const { events } = await historyOf(client, run);
      return (await wasCancelledWhileSending(client, events ?? [])) ? [run] : [];
    };
    const sending = (await inGroups(ended.filter(isCancelled), atOnce, sendingOf)).flat();
    const isComplete = isCovered && runs.length === 0 && !isInIndex;
    return {
      ...countedOf(ended),
      underWay: sending.map(leadIdOfRun).filter(Boolean),
      ended: ended.map(({ workflowId, runId, closeTime }) => ({ workflowId, runId, endedAt: (closeTime ?? new Date()).toISOString() })),
      isComplete,
    };
  }

  return {
    /** Finds and cancels the person's runs. `mark` is the run of the erasure. */
    async cancelFound(look: EraseSearch, mark: Address): Promise<EraseSearchResult> {
      const until = Date.now() + looksForMs;
      const underWay = new Set<string>();
      for (;;) {
        const looked = await eraseOnce(look, mark);
        for (const leadId of looked.underWay) underWay.add(leadId);
        if (looked.isComplete || looked.ended.length > 0 || Date.now() >= until) return { ...looked, underWay: [...underWay] };
        await pause(betweenLooksMs);
      }
    },
    async deleteEnded(ended: readonly EndedRun[]): Promise<void> {
      await inGroups(ended, atOnce, remove);
    },
  };
}

/** True if a send of the lead had ended with an unknown outcome, and was looked up. */
const wasLookedUp = ({ searchAttributes }: RunDescription): boolean =>
  searchAttributes[attributes.state.name]?.[0] === ('verifying' satisfies State);

const isCancelled = ({ raw }: RunDescription): boolean => raw.workflowExtendedInfo?.cancelRequested === true;

type ListedRun = Omit<WorkflowExecutionInfo, 'raw'>;

/** Counts runs and leads. A lead counts once, in the state of its newest run; a call's run counts as a run only. */
export function countedOf(runs: readonly ListedRun[]): { runs: number; leadIds: string[]; counts: ErasedCount[] } {
  const newest = newestByLead(runs);
  const leads = [...newest.values()].map(({ searchAttributes }): ErasedCount => {
    const [flow, state, stored] = [attributes.flow, attributes.state, attributes.site].map(({ name }) => searchAttributes[name]?.[0]);
    const site = shownSite(stored);
    return { flow: String(flow ?? ''), state: String(state ?? ''), ...(site !== undefined && { site }), leads: 1 };
  });
  return { runs: runs.length, leadIds: [...newest.keys()], counts: sumCounts(leads) };
}
