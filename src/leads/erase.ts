/**
 * What forgetting a person takes: every run that holds one of the keyed hashes, and whatever else runs for the same lead. An open run is
 * ended first, so that no further step begins; a request that is on the wire then cannot be taken back, and the receipt names its lead.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { tallied, together, type EraseLook, type Hashes, type Looked, type OnTheWire, type Tally } from '../domain/erase';
import { openHolds, type Heard } from '../domain/hold';
import { addressOf, attemptIdOf, leadIdOf, type Address } from '../domain/ids';
import { inGroups } from '../lib/in-groups';
import type { OpenJournal } from '../send-journal/journal';
import { within } from '../temporal/deadline';
import { attributes } from '../temporal/engine';
import { unlessNoRun } from '../temporal/grpc';
import { describe, isOpen, type Found } from './runs';
import { indexLagMs, isMarked, listRuns } from './search';

const callMs = 5_000;
const pollMs = 20;
/** The engine fires a timer up to a second late, so one look goes on for a while by itself. */
const looksForMs = 2_000;
const betweenLooksMs = 100;
/** The engine deletes at once what was closed so long ago. Asked sooner, it tries again only after three seconds. */
const deletableAfterMs = 1_200;
/** A cluster that is set as it comes takes half a minute until a run that was just ended can be deleted. */
const deletedWithinMs = 45_000;
const atOnce = 8;
/** As the engine numbers it. */
const started = 2;
/** Shown in the Temporal UI in clear. */
const neutral = 'erased';

export interface EraserNeeds {
  readonly client: Client;
  readonly taskQueue: string;
  readonly journal?: Pick<OpenJournal, 'stop' | 'underWay' | 'forget'>;
  /** No request takes longer. */
  readonly longestSendMs: number;
  /** True where the engine writes its index strictly in order: a mark that is listed proves all before it. */
  readonly isIndexOrdered: boolean;
}

export const whereOf = ({ emails, phones, patients, site }: Hashes): string => {
  const isOneOf = (name: string, hashes: readonly string[]) => hashes.map((hash) => `${name} = '${hash}'`);
  const { emails: email, phones: phone, patient } = attributes;
  const anyOf = [...isOneOf(email.name, emails), ...isOneOf(phone.name, phones), ...isOneOf(patient.name, patients)].join(' OR ');
  return site ? `(${anyOf}) AND ${attributes.site.name} = '${site}'` : `(${anyOf})`;
};

export function createEraser({
  client,
  taskQueue,
  journal,
  longestSendMs,
  isIndexOrdered,
}: EraserNeeds): (look: EraseLook, mark: Address) => Promise<Looked> {
  const ask = <T>(call: () => Promise<T>) => within(client, Date.now() + callMs, call);
  const handleOf = ({ workflowId, runId }: Address) => client.workflow.getHandle(workflowId, runId);
  const find = ({ workflowId, runId }: Address) => describe(client, workflowId, runId);

  /** A cluster's index has no order: there the mark is believed only after the longest lag. */
  async function isListed(mark: Address, until: string): Promise<boolean> {
    if (!(await isMarked(client, mark.runId, until))) return false;
    return isIndexOrdered || Date.now() > Date.parse(until) + indexLagMs;
  }

  /** A lead that was driven again has runs that the index may not list yet. */
  async function runsOf(leadId: string): Promise<Found[]> {
    const first = addressOf(leadId);
    const found: Found[] = [];
    for (let attempt = 1; ; attempt++) {
      const run = attempt === 1 ? first && (await find(first)) : await describe(client, attemptIdOf(leadId, attempt));
      if (run) found.push(run);
      else if (attempt > 1) return found;
    }
  }

  async function toErase(look: EraseLook): Promise<Found[]> {
    const listed = await listRuns(client, whereOf(look));
    const isOld = (run: WorkflowExecutionInfo) => run.startTime.toISOString() <= look.until || look.leadIds.includes(leadIdOf(run));
    const addresses = [...look.known, ...listed.filter(isOld)];
    const leadIds = new Set([...addresses.map(leadIdOf), ...look.leadIds].filter(Boolean));
    const runs = [...(await inGroups(addresses, atOnce, find)), ...(await inGroups([...leadIds], atOnce, runsOf)).flat()];
    return [...new Map(runs.flatMap((run) => (run ? [[run.runId, run] as const] : []))).values()];
  }

  /** True when an activity of it was with a worker at that moment: nobody hears any more how it ends. */
  async function end(run: Found): Promise<boolean> {
    if (!isOpen(run)) return false;
    const before = await find(run);
    await ask(() => handleOf(run).terminate(neutral)).catch(unlessNoRun);
    return (before?.raw.pendingActivities ?? []).some(({ state }) => state === started);
  }

  /** A lead that stood before a held upstream, or was let through to try it, says nothing any more: the others must not wait for it. */
  async function tellHolds(gone: readonly Address[]): Promise<void> {
    if (gone.length === 0) return;
    for (const hold of await listRuns(client, openHolds(taskQueue)))
      await inGroups(gone, atOnce, ({ runId }) =>
        ask(() => handleOf(hold).signal('heard', { runId, heard: { said: 'gone' } satisfies Heard })).catch(unlessNoRun),
      );
  }

  /** The requests that have not ended: as the journal notes it, and elsewhere until their time is up. */
  async function stillOnTheWire(all: readonly OnTheWire[]): Promise<OnTheWire[]> {
    const noted = await journal?.underWay(all.map(({ runId }) => runId));
    return all.filter(({ runId, until, isNoted }) => Date.parse(until) > Date.now() && (!isNoted || noted?.has(runId)));
  }

  async function remove({ workflowId, runId, closeTime }: Found): Promise<void> {
    const { namespace } = client.options;
    const run = { workflowId, runId };
    const deadline = Date.now() + deletedWithinMs;
    await pause(Math.max(0, deletableAfterMs - (Date.now() - (closeTime?.getTime() ?? Date.now()))));
    await ask(() => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: run })).catch(unlessNoRun);
    while (await find(run)) {
      if (Date.now() > deadline) throw new Error('The engine has not deleted a run yet');
      await pause(pollMs);
    }
  }

  async function lookOnce(look: EraseLook, mark: Address): Promise<Looked> {
    const isCovered = await isListed(mark, look.until);
    const runs = await toErase(look);
    const addresses = runs.map(({ workflowId, runId }) => ({ workflowId, runId }));
    // A worker does not hear at once that its run was ended, and goes on within its task: the journal lets it begin no send.
    await journal?.stop(addresses);
    const withWorker = await inGroups(runs, atOnce, end);
    await tellHolds(addresses.filter((_, at) => runs[at] && isOpen(runs[at])));
    const until = new Date(Date.now() + longestSendMs).toISOString();
    const found = await stillOnTheWire(addresses.map((run, at) => ({ ...run, until, isNoted: !withWorker[at] })));
    await inGroups(runs, atOnce, remove);
    const onTheWire = [...(await stillOnTheWire(look.onTheWire)), ...found];
    const isQuiet = ({ runId }: Address) => !onTheWire.some((one) => one.runId === runId);
    await journal?.forget(new Set([...addresses, ...look.onTheWire].filter(isQuiet).map(({ runId }) => runId)));
    const isComplete = isCovered && runs.length === 0 && onTheWire.length === 0;
    return { ...countedOf(runs), underWay: found.map(leadIdOf).filter(Boolean), onTheWire, isComplete };
  }

  return async (look, mark) => {
    const until = Date.now() + looksForMs;
    let looked = await lookOnce(look, mark);
    while (!looked.isComplete && Date.now() < until) {
      await pause(betweenLooksMs);
      const { leadIds, onTheWire } = looked;
      const more = await lookOnce({ ...look, leadIds: [...look.leadIds, ...leadIds], onTheWire }, mark);
      looked = { ...more, ...together(looked, more) };
    }
    return looked;
  };
}

type Listed = Omit<WorkflowExecutionInfo, 'raw'>;

/** A lead counts once, in the state of its newest run; a run that is nobody's lead is a run only. */
export function countedOf(runs: readonly Listed[]): { runs: number; leadIds: string[]; counts: Tally[] } {
  const newest = new Map<string, Listed>();
  for (const run of runs.toSorted((one, other) => one.startTime.getTime() - other.startTime.getTime()))
    // A claim stands under the id of a lead and is none.
    if (leadIdOf(run) && run.type !== 'claim') newest.set(leadIdOf(run), run);
  const leads = [...newest.values()].map(({ searchAttributes }): Tally => {
    const [flow, state, site] = [attributes.flow, attributes.state, attributes.site].map(({ name }) => searchAttributes[name]?.[0]);
    return { flow: String(flow ?? ''), state: String(state ?? ''), ...(site !== undefined && { site: String(site) }), leads: 1 };
  });
  return { runs: runs.length, leadIds: [...newest.keys()], counts: tallied(leads) };
}
