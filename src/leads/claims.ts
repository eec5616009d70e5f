/**
 * Makes and frees claims. The engine lets only one open run hold an id. A claim is a small run that holds an id for a lead that runs under
 * another id. This is how a lead holds its person lock, and how the same body finds the open lead. A claim counts while its lead is open. One
 * that was made before its lead began counts only for a lead that began under it.
 */
import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Claimed, Holder } from '../domain/claims';
import { memoOf } from '../domain/memo';
import { askEngine, deleteRun, describe, type Found, unlessNoRun, unlessTaken } from '../temporal/ask';
import { isOpen } from './runs';

/** A claim's run is delayed this long. Until then it costs the worker nothing, and most leads end sooner. */
const startsAfterMs = 3_600_000;
/** A lead starts within this time of its claim, unless the engine answers every call late. */
const beginsWithinMs = 30_000;
const mostTries = 5;
/** Reason of a termination; the Temporal UI shows it in clear. */
const leftOver = 'its lead is over';

export interface Taken {
  readonly claim: Claimed;
  /** False if the holder had it already. */
  readonly isNew: boolean;
}

export interface Claims {
  /** Makes a claim. Undefined if any open run holds the id. */
  make(id: string, holder: Holder, attributes?: SearchAttributePair[]): Promise<Claimed | undefined>;
  /** Makes a claim, or takes over an id whose holder is over. Undefined if another lead holds the id. */
  take(id: string, holder: Holder, attributes?: SearchAttributePair[]): Promise<Taken | undefined>;
  /** Tells whether this run still holds its id. A claim does not if its lead is over, or began under another claim. */
  isHeld(found: Found): Promise<boolean>;
  /** Ends a claim and frees its id. Does nothing to a run that is no claim. */
  free(found: Found): Promise<void>;
  giveBack(claims: readonly Claimed[]): Promise<void>;
  isOpen(holder: Holder): Promise<boolean>;
}

/** The lead that a claim holds its id for. Undefined if the run is no claim. */
export const holderIn = ({ memo }: Pick<Found, 'memo'>): Holder | undefined => memo?.claim as Holder | undefined;

const isSame = (one: Holder | undefined, other: Holder): boolean => one?.workflowId === other.workflowId && one.runId === other.runId;

/** True if the run is open and began under this claim. A repeat of the run's request may have made a second claim, under which nothing began. */
export function isUnder(claim: Claimed, run: Found | undefined): boolean {
  if (!run || !isOpen(run)) return false;
  const own = memoOf(run)?.claim;
  // A run of an earlier build does not name its claim.
  return own === undefined || own === claim.runId;
}

const isOpenRun = (found: Found | undefined): boolean => found !== undefined && isOpen(found);

export function createClaims(client: Client, taskQueue: string): Claims {
  async function make(id: string, holder: Holder, typedSearchAttributes: SearchAttributePair[] = []): Promise<Claimed | undefined> {
    const started = await askEngine(client, () =>
      client.workflow.start('claim', {
        workflowId: id,
        taskQueue,
        args: [holder],
        startDelay: startsAfterMs,
        memo: { claim: holder },
        typedSearchAttributes,
        staticSummary: 'holds this id for a lead that runs under another one',
      }),
    ).catch(unlessTaken);
    return started && { workflowId: id, runId: started.firstExecutionRunId };
  }

  async function isHeld(found: Found): Promise<boolean> {
    if (!isOpenRun(found)) return false;
    const holder = holderIn(found);
    if (!holder) return true;
    const run = await describe(client, holder.workflowId, holder.runId);
    if (isOpenRun(run)) return holder.runId !== undefined || isUnder(found, run);
    // A claim is made before its lead starts: a run that began before the claim is an older one under the same id.
    const hasBegun = holder.runId !== undefined || (run !== undefined && run.startTime >= found.startTime);
    return !hasBegun && Date.now() - found.startTime.getTime() < beginsWithinMs;
  }

  async function free(found: Found): Promise<void> {
    if (!holderIn(found)) return;
    // Terminating frees the id at once; deleting takes a moment longer.
    await askEngine(client, () => client.workflow.getHandle(found.workflowId, found.runId).terminate(leftOver)).catch(unlessNoRun);
    await deleteRun(client, found);
  }

  return {
    make,
    async take(id, holder, attributes = []) {
      for (let tries = 0; tries < mostTries; tries++) {
        const made = await make(id, holder, attributes);
        if (made) return { claim: made, isNew: true };
        const found = await describe(client, id);
        if (!found) continue;
        if (isOpenRun(found) && isSame(holderIn(found), holder)) return { claim: { workflowId: id, runId: found.runId }, isNew: false };
        if (await isHeld(found)) return undefined;
        await free(found);
      }
      return undefined;
    },
    isHeld,
    free,
    giveBack: async (claims) => void (await Promise.all(claims.map((claim) => deleteRun(client, claim)))),
    isOpen: async ({ workflowId, runId }) => isOpenRun(await describe(client, workflowId, runId)),
  };
}
