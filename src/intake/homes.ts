/**
 * A lead's homes: the ids by which another lead of the same person or body finds it. A lead without a key runs under one of them; any other
 * holds one with a claim. Leads of one body that are open at once, each under a key of its own, have numbered homes behind the last.
 */
import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type { Holder } from '../domain/claims';
import type { ErrorCode } from '../domain/lead';
import { holderIn, type Claims, type Taken } from '../leads/claims';
import { reportOfFailure } from '../leads/reports';
import { isOpen, memoOf, type Found } from '../leads/runs';
import type { Identity } from './identity';

/** Open leads of one body, each under a key of its own. */
const mostTwins = 200;

interface Home {
  readonly id: string;
  readonly found?: Found;
  readonly isHeld: boolean;
}

export interface Looked {
  /** The open lead of the same body; 'soon' where its run is about to begin. */
  readonly twin?: Found | 'soon';
  /** The first home that nobody holds. */
  readonly free?: Home;
}

export interface Homes {
  /** Undefined where there is no room for one more of this body. */
  claim(holder: Holder, attributes: SearchAttributePair[]): Promise<Taken | undefined>;
  look(): Promise<Looked>;
}

type Look = (workflowId: string, runId?: string) => Promise<Found | undefined>;

export function createHomes(claims: Claims, look: Look): (identity: Identity) => Homes {
  async function homeAt(id: string): Promise<Home> {
    const found = await look(id);
    return { id, found, isHeld: Boolean(found && (await claims.isHeld(found))) };
  }

  async function twinIn(homes: readonly Home[], digest: string): Promise<Found | 'soon' | undefined> {
    for (const { found, isHeld } of homes) {
      if (!found || !isHeld) continue;
      const holder = holderIn(found);
      if ((holder ?? memoOf(found))?.digest !== digest) continue;
      const run = holder ? await look(holder.workflowId, holder.runId) : found;
      return run && isOpen(run) ? run : 'soon';
    }
    return undefined;
  }

  return ({ homes: ids, digest }) => {
    const numbered = (number: number) => `${ids.at(-1)}.${number}`;
    return {
      async claim(holder, attributes) {
        for (const id of ids) {
          const taken = await claims.take(id, holder, attributes);
          if (taken) return taken;
        }
        for (let number = 2; number <= mostTwins; number++) {
          const claim = await claims.make(numbered(number), holder, attributes);
          if (claim) return { claim, isNew: true };
        }
        return undefined;
      },

      async look() {
        const homes = await Promise.all(ids.map(homeAt));
        const free = homes.find(({ isHeld }) => !isHeld);
        for (let number = 2; homes.at(-1)?.found && number <= mostTwins; number++) homes.push(await homeAt(numbered(number)));
        return { twin: await twinIn(homes, digest), free };
      },
    };
  };
}

const doNothing: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED'];

export async function leftKey(client: Client, { workflowId, runId, status }: WorkflowExecutionDescription): Promise<boolean> {
  if (status.name !== 'FAILED') return false;
  try {
    await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { failure } = reportOfFailure(error);
    // Something was made before, and must not be made again.
    return failure !== undefined && doNothing.includes(failure.code) && failure.retryable !== false;
  }
}
