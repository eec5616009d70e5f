/**
 * Takes and releases locks and claims. The engine allows only one open run per workflow id, so a small run with the lock's id holds the
 * lock for a lead. A lock is valid while its lead is open. A claim is a lock that outlives its lead: it stays for its time. Another lead
 * gets it sooner if the first one failed, was discarded or was erased.
 */
import type { Client } from '@temporalio/client';
import { leadIdOf } from '../domain/ids';
import type { Holder, Lock, PersonHashes, TakeClaim, TakeLock } from '../domain/locks';
import type { KeyRing } from '../keys/ring';
import { askEngine, deleteRun, describe, terminateRun, type RunDescription, ignoreAlreadyStarted } from '../temporal/ask';
import { erasureAttributes } from '../temporal/engine';
import { newestRun } from './attempts';
import { ignoreLeadNotFound, isOpen, mayHaveArrived, openRunOf, stateOf } from './runs';

/** The start delay of a lock's run. The run costs the worker nothing before it starts, and most leads end sooner. */
const startsAfterMs = 3_600_000;
const mostTries = 5;
/** The reason of a termination, which the Temporal UI shows in clear. */
const terminationReason = 'its lead has ended';

export interface Locks {
  /** Takes a lock, also from a holder that has ended. Undefined if an open lead holds it; `isParked` if that lead is parked. */
  readonly take: TakeLock;
  /** Makes a claim. Undefined if it was made; otherwise the lead that made it before. */
  readonly claim: TakeClaim;
  /** Gives a lock back when its run ends. A lock that is not given back ends by itself. */
  giveBack(run: unknown, lock: Lock): void;
  isOpen(holder: Holder): Promise<boolean>;
}

const holderIn = ({ memo }: Pick<RunDescription, 'memo'>): Holder | undefined => memo?.holder as Holder | undefined;

const isSame = (one: Holder | undefined, other: Holder): boolean => one?.workflowId === other.workflowId && one.runId === other.runId;

export function createLocks(client: Client, keys: KeyRing, taskQueue: string): Locks {
  async function startLock(id: string, holder: Holder, person: PersonHashes, startDelay = startsAfterMs): Promise<Lock | undefined> {
    const started = await askEngine(client, () =>
      client.workflow.start('lock', {
        workflowId: id,
        taskQueue,
        args: [holder],
        startDelay,
        memo: { holder },
        typedSearchAttributes: erasureAttributes(keys, person),
        staticSummary: 'a lock: one lead or call at a time holds it',
      }),
    ).catch(ignoreAlreadyStarted);
    return started && { workflowId: id, runId: started.firstExecutionRunId };
  }

  async function release(found: RunDescription): Promise<void> {
    // The termination frees the id at once; the deletion takes longer.
    await terminateRun(client, found, terminationReason);
    await deleteRun(client, found);
  }

  /** False also for a lead that is not there, as after an erasure. */
  async function hasPerhapsArrived(leadId: string): Promise<boolean> {
    const newest = await newestRun(client, leadId).catch(ignoreLeadNotFound);
    return newest !== undefined && mayHaveArrived(newest);
  }

  return {
    async take(id, holder, person) {
      for (let tries = 0; tries < mostTries; tries++) {
        const made = await startLock(id, holder, person);
        if (made) return made;
        const found = await describe(client, id);
        if (!found || !isOpen(found)) continue;
        const other = holderIn(found);
        if (isSame(other, holder)) return { workflowId: id, runId: found.runId };
        if (!other) return undefined;
        const open = await openRunOf(client, other);
        if (open) return stateOf(open) === 'parked' ? { isParked: true } : undefined;
        await release(found);
      }
      return undefined;
    },
    async claim({ id, windowMs }, holder, person) {
      for (let tries = 0; tries < mostTries; tries++) {
        if (await startLock(id, holder, person, windowMs)) return undefined;
        const found = await describe(client, id);
        const first = found && isOpen(found) && holderIn(found);
        if (!first) continue;
        if (isSame(first, holder)) return undefined;
        const leadId = leadIdOf(first);
        if (await hasPerhapsArrived(leadId)) return { leadId };
        await release(found);
      }
      throw new Error('The claim could not be made');
    },
    giveBack: (_run, lock) => void deleteRun(client, lock).catch(() => undefined),
    isOpen: async (holder) => (await openRunOf(client, holder)) !== undefined,
  };
}
