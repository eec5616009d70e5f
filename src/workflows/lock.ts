/**
 * Runs a lock: a small run whose id one lead holds at a time. Its start is delayed by an hour, so it costs the worker nothing before then;
 * usually its lead has ended and deleted it by that time. A lock that remains checks every hour whether its lead is open, and ends if not.
 */
import { continueAsNew, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { Holder } from '../domain/locks';
import { unlessCancelled } from './failures';
import { isLong } from './long-waits';
import { quickly } from './proxies';
import { withCurrentBuild } from './with-current-build';

const askEveryMs = 3_600_000;
const deadlineMs = 5_000;

withCurrentBuild(lock);

export async function lock(holder: Holder): Promise<void> {
  setCurrentDetails('Holds this id for one lead, and checks every hour whether that lead is still open');
  while (await isHolderOpen(holder)) {
    if (isLong()) await continueAsNew<typeof lock>(holder);
    await sleep(askEveryMs);
  }
}

/** If the engine does not answer, assume that the run is open. */
const isHolderOpen = (holder: Holder): Promise<boolean> =>
  quickly('check whether the lead is open', deadlineMs)
    .isHolderOpen(holder)
    .catch((error: unknown) => unlessCancelled(error) ?? true);
