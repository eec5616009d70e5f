/** A lead's side of a hold: it joins the waiting line, waits until it may go, and reports to the hold whether the upstream answered. */
import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities';
import { holdId, type Heard, type Held } from '../domain/hold';
import { unlessCancelled, type FailedAttempt } from './proxies';

/** Tells a lead in the waiting line that it may go. */
export const goSignal = defineSignal('go');
export const heardSignal = defineSignal<[{ readonly runId: string; readonly heard: Heard }]>('heard');

/** A lead joins again after this time, in case the waiting line was lost. */
const joinAgainMs = 600_000;
const joinFailedMs = 5_000;

interface HoldToJoin {
  readonly held: Held;
  readonly again: boolean;
}

export class WaitingLine {
  private mayGo = false;
  /** The hold that this lead waits at, or that let it through and has not heard the result yet. */
  private passed: Held | undefined;

  constructor() {
    setHandler(goSignal, () => {
      this.mayGo = true;
    });
  }

  /** The hold to wait at after this failure: the one that stopped the lead, or the one that let it through in vain. */
  holdAfter({ held = this.passed }: FailedAttempt): HoldToJoin | undefined {
    return held && { held, again: held === this.passed };
  }

  /** True once the lead may go; false if its time was up before. */
  async wait({ held, again }: HoldToJoin, giveUpAt: number): Promise<boolean> {
    this.mayGo = false;
    this.passed = held;
    while (Date.now() < giveUpAt) {
      const joined = await join(held, again);
      if (!joined) await sleep(joinFailedMs);
      else if (await condition(() => this.mayGo, Math.max(1, Math.min(joinAgainMs, giveUpAt - Date.now())))) return true;
    }
    await this.tell({ said: 'gone' });
    return false;
  }

  /** Reports the attempt to the hold, if there is one. */
  async tell(heard: Heard): Promise<void> {
    const { passed } = this;
    if (!passed) return;
    this.passed = undefined;
    const { taskQueue, runId } = workflowInfo();
    await getExternalWorkflowHandle(holdId(taskQueue, passed)).signal(heardSignal, { runId, heard }).catch(unlessCancelled);
  }
}

/** The report of a failed attempt to the hold. A refusal is an answer, too. */
export const heardIn = ({ type, message, retryAfterMs }: FailedAttempt): Heard =>
  type === 'NOT_SENT' || type === 'UNKNOWN' ? { said: 'failed', reason: message, retryAfterMs } : { said: 'answered' };

async function join(held: Held, again: boolean): Promise<boolean> {
  const { joinHold } = proxyLocalActivities<Activities>({
    summary: 'join the line',
    startToCloseTimeout: 3_000,
    retry: { maximumAttempts: 2 },
  });
  return joinHold(held, again).then(
    () => true,
    (error: unknown) => Boolean(unlessCancelled(error)),
  );
}
