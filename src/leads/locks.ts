/**
 * Takes and frees locks. The engine lets only one open run have an id, so a small run with the lock's id holds it for a lead. A lock counts
 * while its lead is open.
 */
import type { Client } from '@temporalio/client';
import type { Holder, Lock, PersonHashes, TakeLock } from '../domain/locks';
import type { KeyRing } from '../keys/ring';
import { askEngine, deleteRun, describe, terminateRun, type Found, unlessTaken } from '../temporal/ask';
import { erasableBy } from '../temporal/engine';
import { isOpen, openOf, stateOf } from './runs';

/** A lock's run is delayed this long. Until then it costs the worker nothing, and most leads end sooner. */
const startsAfterMs = 3_600_000;
const mostTries = 5;
/** Reason of a termination; the Temporal UI shows it in clear. */
const leftOver = 'its lead is over';

export interface Locks {
  /** Takes a lock, also if its holder is over. Without one, an open lead holds it. */
  readonly take: TakeLock;
  /** Called by the sink of a run that ends. A lock that is left over ends by itself. */
  giveBack(run: unknown, lock: Lock): void;
  isOpen(holder: Holder): Promise<boolean>;
}

const holderIn = ({ memo }: Pick<Found, 'memo'>): Holder | undefined => memo?.holder as Holder | undefined;

const isSame = (one: Holder | undefined, other: Holder): boolean => one?.workflowId === other.workflowId && one.runId === other.runId;

export function createLocks(client: Client, keys: KeyRing, taskQueue: string): Locks {
  async function make(id: string, holder: Holder, person: PersonHashes): Promise<Lock | undefined> {
    const started = await askEngine(client, () =>
      client.workflow.start('lock', {
        workflowId: id,
        taskQueue,
        args: [holder],
        startDelay: startsAfterMs,
        memo: { holder },
        typedSearchAttributes: erasableBy(keys, person),
        staticSummary: 'holds this id for one lead or call at a time',
      }),
    ).catch(unlessTaken);
    return started && { workflowId: id, runId: started.firstExecutionRunId };
  }

  async function free(found: Found): Promise<void> {
    // Terminating frees the id at once; deleting takes a moment longer.
    await terminateRun(client, found, leftOver);
    await deleteRun(client, found);
  }

  return {
    async take(id, holder, person) {
      for (let tries = 0; tries < mostTries; tries++) {
        const made = await make(id, holder, person);
        if (made) return made;
        const found = await describe(client, id);
        if (!found || !isOpen(found)) continue;
        const other = holderIn(found);
        if (isSame(other, holder)) return { workflowId: id, runId: found.runId };
        if (!other) return undefined;
        const open = await openOf(client, other);
        if (open) return stateOf(open) === 'parked' ? { isParked: true } : undefined;
        await free(found);
      }
      return undefined;
    },
    giveBack: (_run, lock) => void deleteRun(client, lock).catch(() => undefined),
    isOpen: async (holder) => (await openOf(client, holder)) !== undefined,
  };
}
