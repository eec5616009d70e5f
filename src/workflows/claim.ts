/**
 * A claim: a small run whose id holds a home or a person lock for a lead that runs under another id. It starts an hour in the future, so
 * it costs the worker nothing before then; its lead has usually ended by that time and deleted it. A claim that is left over asks every
 * hour whether its lead is still open, and ends when it is not.
 */
import { sleep } from '@temporalio/workflow';
import type { Holder } from '../domain/claims';
import { unlessCancelled, repeatable } from './proxies';
import { tellCallStack } from './timeline';
import { withCurrentBuild } from './with-current-build';

const askEveryMs = 3_600_000;
const deadlineMs = 5_000;

withCurrentBuild(claim);

export async function claim(holder: Holder): Promise<void> {
  tellCallStack(() => 'Holds this id for a lead, and asks every hour whether that lead is still open');
  while (await isOpen(holder)) await sleep(askEveryMs);
}

/** If the engine does not answer, assume that the run is open. */
const isOpen = (holder: Holder): Promise<boolean> =>
  repeatable('does its run go on?', deadlineMs, 0)
    .isOpen(holder)
    .catch((error: unknown) => {
      unlessCancelled(error);
      return true;
    });
