/**
 * A lead's homes: the ids under which another request finds the open lead of the same person or body. A lead without an Idempotency-Key
 * runs under one of its homes; a lead with a key holds one by a claim. Further open leads of the same body, each under a key of its own,
 * hold numbered homes: the last home's id and `.2`, `.3`, and so on.
 */
import type { SearchAttributePair } from '@temporalio/common';
import type { Holder } from '../domain/claims';
import { memoOf } from '../domain/memo';
import { holderIn, type Claims, type Taken } from '../leads/claims';
import { isOpen } from '../leads/runs';
import type { Found } from '../temporal/ask';
import type { Identity } from './identity';

/** Most open leads of one body. */
const mostTwins = 200;

interface Home {
  readonly id: string;
  readonly found?: Found;
  readonly isHeld: boolean;
}

export interface Looked {
  /** The open lead of the same body; 'soon' if its home is claimed and its run has not begun. */
  readonly twin?: Found | 'soon';
  /** The first home that nobody holds. */
  readonly free?: Home;
}

export interface Homes {
  /** Claims a home for the holder. Undefined if all homes of this body are held. */
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
