/**
 * Takes the person lock, so that only one lead of a person at a time looks up the e-mail and sends. A lead that does not get the lock
 * waits and tries again.
 */
import { sleep } from '@temporalio/workflow';
import type { Claimed } from '../domain/claims';
import type { LeadInput } from '../domain/lead';
import { unlessCancelled } from './attempt';
import type { StepRun } from './run';
import { repeatable } from './proxies';

const pausesMs = [100, 200, 400, 800, 1_500, 3_000] as const;
const longestPauseMs = 5_000;
const askDeadlineMs = 5_000;

/** True once the run holds the lock or needs none; false if the time was up before. */
export async function holdPersonLock(run: StepRun, { lock }: LeadInput, giveUpAt = Infinity): Promise<boolean> {
  if (!lock) return true;
  for (let tries = 0; ; tries++) {
    const claimed = await take(lock);
    if (claimed) {
      run.holds(claimed);
      run.timeline.become('running');
      return true;
    }
    if (Date.now() > giveUpAt) return false;
    run.timeline.become('waiting');
    await sleep(pausesMs[tries] ?? longestPauseMs);
  }
}

/** If the engine does not answer, the run does not hold the lock. */
const take = (lock: string): Promise<Claimed | undefined> =>
  repeatable('the person’s lock', askDeadlineMs, 0).takePersonLock(lock).catch(unlessCancelled);
