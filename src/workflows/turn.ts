/** One at a time: of two leads of the same person only one looks the e-mail up and sends, the other waits for its turn. */
import { sleep } from '@temporalio/workflow';
import type { Claimed } from '../domain/claims';
import type { LeadInput } from '../domain/lead';
import type { LeadRun } from './lead';
import { repeatable } from './proxies';
import { unlessCancelled } from './unless-cancelled';

const pausesMs = [100, 200, 400, 800, 1_500, 3_000] as const;
const longestPauseMs = 5_000;
const askDeadlineMs = 5_000;

/** True when this run has its turn, or needs none; false when the time was up before. */
export async function myTurn(run: LeadRun, { turn }: LeadInput, giveUpAt = Infinity): Promise<boolean> {
  if (!turn) return true;
  for (let tries = 0; ; tries++) {
    const claimed = await take(turn);
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

/** An engine that does not answer has given no turn. */
const take = (turn: string): Promise<Claimed | undefined> => repeatable('a turn', askDeadlineMs, 0).takeTurn(turn).catch(unlessCancelled);
