/**
 * Holds an id for a run that goes under another one. A claim is made an hour ahead: until then it costs the worker nothing, and mostly
 * its run has ended and the claim is deleted. One that was left over ends by itself.
 */
import { sleep } from '@temporalio/workflow';
import type { Holder } from '../domain/claims';
import { unlessCancelled } from './attempt';
import { repeatable } from './proxies';
import { withCurrentBuild } from './with-current-build';

const askEveryMs = 3_600_000;
const askDeadlineMs = 5_000;

withCurrentBuild(claim);

export async function claim(holder: Holder): Promise<void> {
  while (await isOpen(holder)) await sleep(askEveryMs);
}

/** An engine that does not answer says nothing about the run. */
const isOpen = (holder: Holder): Promise<boolean> =>
  repeatable('does its run go on?', askDeadlineMs, 0)
    .isOpen(holder)
    .catch((error: unknown) => {
      unlessCancelled(error);
      return true;
    });
