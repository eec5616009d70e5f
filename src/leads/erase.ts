/**
 * What forgetting a person takes: every run that holds one of the keyed hashes, and whatever else runs for the same lead. An open run is
 * ended first, so that no further step begins; a request that is on the wire then cannot be taken back, and the receipt names its lead.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { within } from '../api/deadline';
import { tallied, type EraseLook, type Hashes, type Looked, type Tally } from '../domain/erase';
import { addressOf, attemptIdOf, leadIdOf, type Address } from '../domain/ids';
import { unlessNoRun } from '../grpc';
import { inGroups } from '../in-groups';
import type { OpenJournal } from '../sends/journal';
import { attributes } from '../temporal';
import { describe, type Found } from './runs';
import { indexLagMs, isMarked, listRuns } from './search';

const callMs = 5_000;
const pollMs = 20;
/** A cluster that is set as it comes takes half a minute until a run that was just ended can be deleted. */
const deletedWithinMs = 45_000;
const atOnce = 8;
/** As the engine numbers it, of an activity and of a task alike: a send may be under way in either. */
const started = 2;
/** Shown in the Temporal UI in clear. */
const neutral = 'erased';

export interface EraserNeeds {
  readonly client: Client;
  readonly journal?: Pick<OpenJournal, 'forget'>;
  /** True where the engine writes its index strictly in order: a mark that is listed proves all before it. */
  readonly isIndexOrdered: boolean;
}

export const whereOf = ({ emails, phones, patients, site }: Hashes): string => {
  const isOneOf = (name: string, hashes: readonly string[]) => hashes.map((hash) => `${name} = '${hash}'`);
  const { emails: email, phones: phone, patient } = attributes;
  const anyOf = [...isOneOf(email.name, emails), ...isOneOf(phone.name, phones), ...isOneOf(patient.name, patients)].join(' OR ');
  return site ? `(${anyOf}) AND ${attributes.site.name} = '${site}'` : `(${anyOf})`;
};

export function createEraser({ client, journal, isIndexOrdered }: EraserNeeds): (look: EraseLook, mark: Address) => Promise<Looked> {
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

  /** True when a request was on the wire at that moment. */
  async function end(run: Found): Promise<boolean> {
    if (run.status.name !== 'RUNNING') return false;
    const before = await find(run);
    await ask(() => handleOf(run).terminate(neutral)).catch(unlessNoRun);
    const { pendingActivities, pendingWorkflowTask: task } = before?.raw ?? {};
    return task?.state === started || (pendingActivities ?? []).some(({ state }) => state === started);
  }

  async function remove(run: Address): Promise<void> {
    const { namespace } = client.options;
    const deadline = Date.now() + deletedWithinMs;
    await ask(() => client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: run })).catch(unlessNoRun);
    while (await find(run)) {
      if (Date.now() > deadline) throw new Error('The engine has not deleted a run yet');
      await pause(pollMs);
    }
  }

  return async (look, mark) => {
    const isCovered = await isListed(mark, look.until);
    const runs = await toErase(look);
    // All are ended before the first is deleted: none may send meanwhile.
    const sending = await inGroups(runs, atOnce, end);
    await inGroups(runs, atOnce, ({ workflowId, runId }) => remove({ workflowId, runId }));
    await journal?.forget(new Set(runs.map(({ runId }) => runId)));
    const underWay = runs.filter((_, at) => sending[at]).map(leadIdOf);
    return { ...countedOf(runs), underWay: underWay.filter(Boolean), isComplete: isCovered && runs.length === 0 };
  };
}

type Listed = Omit<WorkflowExecutionInfo, 'raw'>;

/** A lead counts once, in the state of its newest run; a run that is nobody's lead is a run only. */
export function countedOf(runs: readonly Listed[]): { runs: number; leadIds: string[]; counts: Tally[] } {
  const newest = new Map<string, Listed>();
  for (const run of runs.toSorted((one, other) => one.startTime.getTime() - other.startTime.getTime()))
    if (leadIdOf(run)) newest.set(leadIdOf(run), run);
  const leads = [...newest.values()].map(({ searchAttributes }): Tally => {
    const [flow, state, site] = [attributes.flow, attributes.state, attributes.site].map(({ name }) => searchAttributes[name]?.[0]);
    return { flow: String(flow ?? ''), state: String(state ?? ''), ...(site !== undefined && { site: String(site) }), leads: 1 };
  });
  return { runs: runs.length, leadIds: [...newest.keys()], counts: tallied(leads) };
}
