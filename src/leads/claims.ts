/**
 * Claims: one open run holds an id, so a claim is a small run under that id for a lead that goes under another one. Two leads of one
 * person thus take turns, and a body finds the open lead of the same body, whoever asks. A claim counts as long as its lead goes on.
 */
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Claimed, Holder } from '../domain/claims';
import { within } from '../temporal/deadline';
import { unlessNoRun } from '../temporal/grpc';
import { describe, isOpen, type Found } from './runs';

const startsAfterMs = 3_600_000;
const askDeadlineMs = 3_000;
/** A lead begins at most so long after its claim was made. */
const beginsWithinMs = 10_000;
const mostTries = 5;
/** Shown in the Temporal UI in clear. */
const leftOver = 'its lead is over';

export interface Taken {
  readonly claim: Claimed;
  /** False where the holder had it already. */
  readonly isNew: boolean;
}

export interface Claims {
  /** Undefined where the id is taken, by whatever. */
  make(id: string, holder: Holder, attributes?: SearchAttributePair[]): Promise<Claimed | undefined>;
  /** Undefined where a lead's own run, or another one's claim, holds the id. */
  take(id: string, holder: Holder, attributes?: SearchAttributePair[]): Promise<Taken | undefined>;
  /** Whether what was found under an id still holds it; a claim whose lead is over does not. */
  isHeld(found: Found): Promise<boolean>;
  /** Frees the id of what holds it no more. */
  free(found: Found): Promise<void>;
  giveBack(claims: readonly Claimed[]): Promise<void>;
  isOpen(holder: Holder): Promise<boolean>;
}

/** Undefined where the run is no claim. */
export const holderIn = ({ memo }: Pick<Found, 'memo'>): Holder | undefined => memo?.claim as Holder | undefined;

const isSame = (one: Holder | undefined, other: Holder): boolean => one?.workflowId === other.workflowId && one.runId === other.runId;

const isOpenRun = (found: Found | undefined): boolean => found !== undefined && isOpen(found);

export function createClaims(client: Client, taskQueue: string): Claims {
  const inTime = <T>(call: () => Promise<T>) => within(client, Date.now() + askDeadlineMs, call);

  async function make(id: string, holder: Holder, typedSearchAttributes: SearchAttributePair[] = []): Promise<Claimed | undefined> {
    const started = await inTime(() =>
      client.workflow.start('claim', {
        workflowId: id,
        taskQueue,
        args: [holder],
        startDelay: startsAfterMs,
        memo: { claim: holder },
        typedSearchAttributes,
        staticSummary: 'holds this id for a lead that runs under another one',
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return undefined;
    });
    return started && { workflowId: id, runId: started.firstExecutionRunId };
  }

  async function isHeld(found: Found): Promise<boolean> {
    if (!isOpenRun(found)) return false;
    const holder = holderIn(found);
    if (!holder) return true;
    const run = await describe(client, holder.workflowId, holder.runId);
    if (isOpenRun(run)) return true;
    // A claim is made before its lead: what began before the claim is an older run under the lead's id.
    const hasBegun = holder.runId !== undefined || (run !== undefined && run.startTime >= found.startTime);
    return !hasBegun && Date.now() - found.startTime.getTime() < beginsWithinMs;
  }

  const remove = ({ workflowId, runId }: Claimed) =>
    inTime(() =>
      client.workflowService.deleteWorkflowExecution({
        namespace: client.options.namespace,
        workflowExecution: { workflowId, runId },
      }),
    ).catch(unlessNoRun);

  async function free(found: Found): Promise<void> {
    if (!holderIn(found)) return;
    // The id is free at once; what is deleted goes a moment later.
    await inTime(() => client.workflow.getHandle(found.workflowId, found.runId).terminate(leftOver)).catch(unlessNoRun);
    await remove(found);
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
    giveBack: async (claims) => void (await Promise.all(claims.map(remove))),
    isOpen: async ({ workflowId, runId }) => isOpenRun(await describe(client, workflowId, runId)),
  };
}
