/**
 * Erases a person's runs: every run with one of the person's keyed hashes, and all other runs of the same leads. An open run is terminated
 * first, so that no further step begins. A request to an upstream that is under way by then cannot be taken back; the receipt names its
 * lead.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { tallied, type Ended, type EraseLook, type Hashes, type Looked, type OnTheWire, type Tally } from '../domain/erase';
import { openHolds, type Heard } from '../domain/hold';
import { outboxIdOf } from '../domain/events';
import { addressOf, attemptIdOf, leadIdOf, type Address } from '../domain/ids';
import { inGroups } from '../lib/in-groups';
import type { OpenJournal } from '../send-journal/journal';
import { askEngine, deleteRun, describe, type Found, unlessNoRun } from '../temporal/ask';
import { attributes } from '../temporal/engine';
import { isOpen } from './runs';
import { indexLagMs, isMarked, listRuns } from './search';

const pollMs = 20;
/** One call looks again for this long, because a timer of the engine may fire a second late. */
const looksForMs = 3_000;
const betweenLooksMs = 100;
/** The engine deletes a run at once that was closed this long ago. Asked sooner, it tries again only after three seconds. */
const deletableAfterMs = 1_200;
/** A cluster with default settings can delete a run only half a minute after its end. */
const deletedWithinMs = 45_000;
const atOnce = 8;
const idsInQuery = 100;
/** The engine's number for a pending activity that a worker has taken. */
const started = 2;
/** Reason of a termination; the Temporal UI shows it in clear. */
const neutral = 'erased';

export interface EraserNeeds {
  /** It must not decrypt anything, because the key of one of the person's runs may be lost. */
  readonly client: Client;
  readonly taskQueue: string;
  readonly journal?: Pick<OpenJournal, 'stop' | 'underWay' | 'forget'>;
  /** No request to an upstream takes longer. */
  readonly longestSendMs: number;
}

/** The query that finds a person's runs in the index. */
export const whereOf = ({ emails, phones, patients, site }: Hashes): string => {
  const isOneOf = (name: string, hashes: readonly string[]) => hashes.map((hash) => `${name} = '${hash}'`);
  const { emails: email, phones: phone, patient } = attributes;
  const anyOf = [...isOneOf(email.name, emails), ...isOneOf(phone.name, phones), ...isOneOf(patient.name, patients)].join(' OR ');
  return site ? `(${anyOf}) AND ${attributes.site.name} = '${site}'` : `(${anyOf})`;
};

export function createEraser({ client, taskQueue, journal, longestSendMs }: EraserNeeds) {
  const handleOf = ({ workflowId, runId }: Address) => client.workflow.getHandle(workflowId, runId);
  const find = ({ workflowId, runId }: Address) => describe(client, workflowId, runId);

  /** True if the index lists all that began before `until`: it lists the mark, and the longest lag has passed. */
  const isListed = async (mark: Address, until: string): Promise<boolean> =>
    Date.now() > Date.parse(until) + indexLagMs && isMarked(client, mark.runId, until);

  /** All attempts of a lead, asked of the engine itself: the index may not list the newest ones yet. */
  async function runsOf(leadId: string): Promise<Found[]> {
    const first = addressOf(leadId);
    const found: Found[] = [];
    for (let attempt = 1; ; attempt++) {
      const run = attempt === 1 ? first && (await find(first)) : await describe(client, attemptIdOf(leadId, attempt));
      if (run) found.push(run);
      else if (attempt > 1) return found;
    }
  }

  /** The outboxes that tell the events of these leads. Of each lead the newest is asked for, because the index may not list it yet. */
  async function outboxesOf(leadIds: readonly string[]): Promise<(Found | undefined)[]> {
    const ids = leadIds.map(outboxIdOf);
    const found = await inGroups(ids, atOnce, (id) => describe(client, id));
    for (let at = 0; at < ids.length; at += idsInQuery) {
      const some = ids.slice(at, at + idsInQuery).map((id) => `'${id}'`);
      found.push(...(await inGroups(await listRuns(client, `WorkflowId IN (${some.join(', ')})`), atOnce, find)));
    }
    return found;
  }

  /** The runs to erase. `isInIndex`: the index lists one of them, or still lists one that was deleted. */
  async function toErase(look: EraseLook): Promise<{ runs: Found[]; isInIndex: boolean }> {
    const isOld = (run: WorkflowExecutionInfo) => run.startTime.toISOString() <= look.until || look.leadIds.includes(leadIdOf(run));
    const listed = (await listRuns(client, whereOf(look))).filter(isOld);
    const addresses = [...look.known, ...listed];
    const leadIds = [...new Set([...addresses.map(leadIdOf), ...look.leadIds].filter(Boolean))];
    const attempts = (await inGroups(leadIds, atOnce, runsOf)).flat();
    // A long order goes on in a new run under its id.
    const orders = await inGroups(
      listed.filter(({ type }) => type === 'carryOrder'),
      atOnce,
      ({ workflowId }) => describe(client, workflowId),
    );
    const runs = [...(await inGroups(addresses, atOnce, find)), ...attempts, ...orders, ...(await outboxesOf(leadIds))];
    const found = new Map(runs.flatMap((run) => (run ? [[run.runId, run] as const] : [])));
    return { runs: [...found.values()], isInIndex: listed.length > 0 };
  }

  /**
   * Terminates a run. True if a worker had one of its activities at that moment: the outcome of that activity cannot be known. Also true for
   * a run that was terminated lately, because an earlier try may have done it. A claim sends nothing.
   */
  async function end(run: Found): Promise<boolean> {
    if (!isOpen(run) && run.type === 'claim') return false;
    if (!isOpen(run)) return run.status.name === 'TERMINATED' && Date.now() - (run.closeTime?.getTime() ?? 0) < longestSendMs;
    const before = await find(run);
    await askEngine(client, () => handleOf(run).terminate(neutral)).catch(unlessNoRun);
    return (before?.raw.pendingActivities ?? []).some(({ state }) => state === started);
  }

  /** Tells the holds that these runs are gone, so that the other leads in their waiting lines do not wait for them. */
  async function tellHolds(gone: readonly Address[]): Promise<void> {
    if (gone.length === 0) return;
    for (const hold of await listRuns(client, openHolds(taskQueue)))
      await inGroups(gone, atOnce, ({ runId }) =>
        askEngine(client, () => handleOf(hold).signal('heard', { runId, heard: { said: 'gone' } satisfies Heard })).catch(unlessNoRun),
      );
  }

  /** The requests that may be under way: those that the send journal has noted, and any others until their time is up. */
  async function stillOnTheWire(all: readonly OnTheWire[]): Promise<OnTheWire[]> {
    const noted = await journal?.underWay(all.map(({ runId }) => runId));
    return all.filter(({ runId, until, isNoted }) => Date.parse(until) > Date.now() && (!isNoted || noted?.has(runId)));
  }

  async function remove({ endedAt, ...run }: Ended): Promise<void> {
    const deadline = Date.now() + deletedWithinMs;
    await pause(Math.max(0, deletableAfterMs - (Date.now() - Date.parse(endedAt))));
    await deleteRun(client, run);
    while (await find(run)) {
      if (Date.now() > deadline) throw new Error('The engine has not deleted a run yet');
      await pause(pollMs);
    }
  }

  const forgetQuiet = (runs: readonly Address[], onTheWire: readonly OnTheWire[]) => {
    const isQuiet = ({ runId }: Address) => !onTheWire.some((one) => one.runId === runId);
    return journal?.forget(new Set(runs.filter(isQuiet).map(({ runId }) => runId)));
  };

  async function lookOnce(look: EraseLook, mark: Address): Promise<Looked> {
    const isCovered = await isListed(mark, look.until);
    const { runs, isInIndex } = await toErase(look);
    const addresses = runs.map(({ workflowId, runId }) => ({ workflowId, runId }));
    // A worker does not learn at once that its run was terminated. The send journal keeps it from beginning another send.
    await journal?.stop(addresses);
    const withWorker = await inGroups(runs, atOnce, end);
    const endedAt = new Date().toISOString();
    await tellHolds(addresses.filter((_, at) => runs[at] && isOpen(runs[at])));
    const until = new Date(Date.now() + longestSendMs).toISOString();
    const found = await stillOnTheWire(addresses.map((run, at) => ({ ...run, until, isNoted: !withWorker[at] })));
    const before = await stillOnTheWire(look.onTheWire);
    await forgetQuiet(look.onTheWire, before);
    const onTheWire = [...before, ...found];
    const isComplete = isCovered && runs.length === 0 && !isInIndex && onTheWire.length === 0;
    const ended = addresses.map((run, at) => ({ ...run, endedAt: runs[at]?.closeTime?.toISOString() ?? endedAt }));
    return { ...countedOf(runs), underWay: found.map(leadIdOf).filter(Boolean), ended, onTheWire, isComplete };
  }

  return {
    /** Finds and ends the person's runs. `mark` is the erasure's own run. */
    async endFound(look: EraseLook, mark: Address): Promise<Looked> {
      const until = Date.now() + looksForMs;
      let looked = await lookOnce(look, mark);
      while (!looked.isComplete && looked.ended.length === 0 && Date.now() < until) {
        await pause(betweenLooksMs);
        looked = await lookOnce({ ...look, onTheWire: looked.onTheWire }, mark);
      }
      return looked;
    },
    async deleteEnded(ended: readonly Ended[], onTheWire: readonly OnTheWire[]): Promise<void> {
      await inGroups(ended, atOnce, remove);
      await forgetQuiet(ended, onTheWire);
    },
  };
}

type Listed = Omit<WorkflowExecutionInfo, 'raw'>;

/** Counts runs and leads. A lead counts once, in the state of its newest run; a call's run counts as a run only. */
export function countedOf(runs: readonly Listed[]): { runs: number; leadIds: string[]; counts: Tally[] } {
  const newest = new Map<string, Listed>();
  for (const run of runs.toSorted((one, other) => one.startTime.getTime() - other.startTime.getTime()))
    // A claim has the id of a lead and is none.
    if (leadIdOf(run) && run.type !== 'claim') newest.set(leadIdOf(run), run);
  const leads = [...newest.values()].map(({ searchAttributes }): Tally => {
    const [flow, state, site] = [attributes.flow, attributes.state, attributes.site].map(({ name }) => searchAttributes[name]?.[0]);
    return { flow: String(flow ?? ''), state: String(state ?? ''), ...(site !== undefined && { site: String(site) }), leads: 1 };
  });
  return { runs: runs.length, leadIds: [...newest.keys()], counts: tallied(leads) };
}
