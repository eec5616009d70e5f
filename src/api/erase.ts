/**
 * Forgets a person: every run that holds one of the keyed hashes, what drove the same lead before or after, and the runs that held its turn.
 * An open run is terminated first, so that no further step begins; a request that is on the wire then cannot be taken back, and the receipt
 * names its lead. Deleted is what the engine no longer describes.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { redriveIdOf, workflowIdOf } from '../domain/ids';
import { sameEmail, samePhone, sameSite } from '../domain/terms';
import { messageOf } from '../errors';
import { unlessNoRun } from '../grpc';
import { base32, type KeyRing } from '../keys';
import { log } from '../log';
import type { OpenJournal } from '../sends/journal';
import { attributes } from '../temporal';
import { within } from './deadline';
import { listed } from './listed';
import { memoOf } from './start';
import { tallied, type Tally } from './tally';

export interface Person {
  readonly email?: string;
  readonly phone?: string;
  readonly patientId?: string;
  readonly instanceName?: string;
}

export interface Counted {
  readonly leads: number;
  readonly runs: number;
  readonly counts: readonly Tally[];
}

export interface Receipt extends Counted {
  readonly receiptId: string;
  readonly erasedAt: string;
  readonly leadIds: readonly string[];
  /** Of these a request was on the wire. */
  readonly underWay: readonly string[];
  /** False: the engine is still at it, and the same call goes on. */
  readonly complete: boolean;
}

export interface Erase {
  count(person: Person): Promise<Counted>;
  erase(person: Person): Promise<Receipt>;
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** Longer than a cluster that is set as it comes takes until a run that was just ended can be deleted. */
const eraseWithinMs = 45_000;
const callMs = 5_000;
const pollMs = 50;
const atOnce = 8;
/** As the engine numbers it. */
const started = 2;
/** Its sends may be under way, too. */
const taskStarted = 2;
/** Shown in the Temporal UI in clear. */
const neutral = 'erased';

const leadIdOf = (run: WorkflowExecutionInfo): string => memoOf(run)?.leadId ?? '';
const quoted = (values: Iterable<string>) => [...values].map((value) => `'${value}'`).join(', ');

export function createErase(client: Client, namespace: string, keys: KeyRing, journal?: Pick<OpenJournal, 'forget'>): Erase {
  const ask = <T>(call: () => Promise<T>) => within(client, Date.now() + callMs, call);

  function whereOf({ email, phone, patientId, instanceName }: Person): string {
    const hashes = [
      email && `${attributes.email.name} = '${keys.hash('email', sameEmail(email))}'`,
      phone && `${attributes.phone.name} = '${keys.hash('phone', samePhone(phone))}'`,
      patientId && `${attributes.patient.name} = '${keys.hash('patient', patientId)}'`,
    ].filter(Boolean);
    const anyOf = `(${hashes.join(' OR ')})`;
    return instanceName ? `${anyOf} AND ${attributes.site.name} = '${sameSite(instanceName)}'` : anyOf;
  }

  /** A lead that was driven again with a corrected e-mail has runs under both. */
  async function holding(person: Person): Promise<WorkflowExecutionInfo[]> {
    const named = await listed(client, whereOf(person));
    const leadIds = new Set(named.map(leadIdOf).filter(Boolean));
    const all = new Map(named.map((run) => [run.runId, run]));
    for (const group of grouped([...leadIds])) {
      const ids = group.flatMap((leadId) => [workflowIdOf(leadId), redriveIdOf(leadId)]);
      for (const run of await listed(client, `WorkflowId IN (${quoted(ids)})`)) if (leadIds.has(leadIdOf(run))) all.set(run.runId, run);
    }
    return [...all.values()];
  }

  /** The history names them exactly; the list may not know the youngest yet. */
  async function childrenOf({ workflowId, runId }: Execution): Promise<Execution[]> {
    const found: Execution[] = [];
    let nextPageToken: Uint8Array | null | undefined;
    do {
      const request = { namespace, execution: { workflowId, runId }, nextPageToken };
      const page = await ask(() => client.workflowService.getWorkflowExecutionHistory(request)).catch(unlessNoRun);
      for (const { childWorkflowExecutionStartedEventAttributes: child } of page?.history?.events ?? []) {
        const { workflowId, runId } = child?.workflowExecution ?? {};
        if (workflowId && runId) found.push({ workflowId, runId });
      }
      nextPageToken = page?.nextPageToken;
    } while (nextPageToken?.length);
    return found;
  }

  const handleOf = ({ workflowId, runId }: Execution) => client.workflow.getHandle(workflowId, runId);
  const described = (run: Execution) => ask(() => handleOf(run).describe()).catch(unlessNoRun);

  /** True when a request was on the wire at that moment. */
  async function end(run: Execution): Promise<boolean> {
    const before = await described(run);
    if (before?.status.name !== 'RUNNING') return false;
    await ask(() => handleOf(run).terminate(neutral)).catch(unlessNoRun);
    const { pendingActivities, pendingWorkflowTask: task } = before.raw;
    return task?.state === taskStarted || (pendingActivities ?? []).some(({ state }) => state === started);
  }

  async function remove(runs: readonly Execution[], deadline: number): Promise<void> {
    await inGroups(runs, async ({ workflowId, runId }) => {
      const request = { namespace, workflowExecution: { workflowId, runId } };
      await ask(() => client.workflowService.deleteWorkflowExecution(request)).catch(unlessNoRun);
    });
    await inGroups(runs, async (run) => {
      while (await described(run)) {
        if (Date.now() > deadline) throw new Error('the engine has not deleted it yet');
        await pause(pollMs);
      }
    });
  }

  return {
    count: async (person) => counted(await holding(person)),

    async erase(person) {
      const deadline = Date.now() + eraseWithinMs;
      const gone = new Map<string, WorkflowExecutionInfo>();
      const underWay = new Set<string>();
      let more = 0;
      const receipt = (complete: boolean): Receipt => {
        const all = [...gone.values()];
        const { leads, runs, counts } = counted(all);
        return {
          receiptId: `e${base32(randomBytes(16), 20)}`,
          erasedAt: new Date().toISOString(),
          leads,
          runs: runs + more,
          counts,
          leadIds: [...new Set(all.map(leadIdOf).filter(Boolean))],
          underWay: [...underWay],
          complete,
        };
      };
      // Before anything is deleted the engine being away is simply that.
      let found = await holding(person);
      try {
        while (found.length > 0) {
          await inGroups(found, async (run) => {
            if (await end(run)) underWay.add(leadIdOf(run));
          });
          // They are found through their leads alone, so they go first.
          const children = (await inGroups(found, childrenOf)).flat();
          await inGroups(children, end);
          await remove(children, deadline);
          more += children.length;
          await remove(found, deadline);
          await journal?.forget(new Set(found.map(({ runId }) => runId)));
          for (const run of found) gone.set(run.runId, run);
          found = await unlisted(found, person, deadline);
        }
        return receipt(true);
      } catch (error) {
        log.error('erasing is not complete', { reason: messageOf(error) });
        return receipt(false);
      }
    },
  };

  /** The list follows a moment later; what it names then is new. */
  async function unlisted(deleted: readonly Execution[], person: Person, deadline: number): Promise<WorkflowExecutionInfo[]> {
    const old = new Set(deleted.map(({ runId }) => runId));
    for (;;) {
      const listed = await holding(person);
      const left = listed.filter(({ runId }) => !old.has(runId));
      if (left.length > 0 || listed.length === 0) return left;
      if (Date.now() > deadline) throw new Error('the engine still lists it');
      await pause(pollMs);
    }
  }
}

function grouped<T>(all: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < all.length; at += atOnce) groups.push(all.slice(at, at + atOnce));
  return groups;
}

async function inGroups<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const group of grouped(all)) results.push(...(await Promise.all(group.map(work))));
  return results;
}

/** A lead counts once, in the state of its newest run; a run that is nobody's lead is a run only. */
function counted(runs: readonly WorkflowExecutionInfo[]): Counted {
  const newest = new Map<string, WorkflowExecutionInfo>();
  for (const run of runs.toSorted((one, other) => one.startTime.getTime() - other.startTime.getTime()))
    if (leadIdOf(run)) newest.set(leadIdOf(run), run);
  const leads = [...newest.values()].map(({ searchAttributes }): Tally => {
    const [flow, state, site] = [attributes.flow, attributes.state, attributes.site].map(({ name }) => searchAttributes[name]?.[0]);
    return { flow: String(flow ?? ''), state: String(state ?? ''), ...(site !== undefined && { site: String(site) }), leads: 1 };
  });
  return { leads: leads.length, runs: runs.length, counts: tallied(leads) };
}
