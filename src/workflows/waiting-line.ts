/** Joins a lead to a hold: it waits in the line until the hold lets it through, and reports to the hold whether the upstream answered. */
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
import { isAt } from '../domain/upstreams';
import { unlessCancelled } from './failures';
import type { FailedAttempt } from './step';

/** Lets a lead in the waiting line through. */
export const goSignal = defineSignal('go');
/** Makes the hold let its next lead through now. */
export const nextSignal = defineSignal('next');
/** Makes the hold read whether its upstream is paused. */
export const lookSignal = defineSignal('look');
export const heardSignal = defineSignal<[{ readonly runId: string; readonly heard: Heard }]>('heard');

/** A lead joins again after this time, in case the hold has ended. */
const joinAgainMs = 600_000;
const joinFailedMs = 5_000;

interface HoldToJoin {
  readonly held: Held;
  readonly again: boolean;
}

export class WaitingLine {
  private mayGo = false;
  private isHurried = false;
  /** The hold that this lead waits at, or that let it through and has no result yet. */
  private passed: Held | undefined;

  /** `isOver`: true if the run must stop waiting. */
  constructor(private readonly isOver: () => boolean) {
    setHandler(goSignal, () => {
      this.mayGo = true;
    });
  }

  /**
   * The hold to wait at after this failure: the one that stopped the lead, or the one that let it through. After a pause, a lead that fails
   * is retried as if it had not waited.
   */
  holdAfter({ held = this.passed?.pause ? undefined : this.passed }: FailedAttempt): HoldToJoin | undefined {
    return held && { held, again: held === this.passed };
  }

  /** Makes the hold let its next lead through now. */
  hurry(): void {
    this.isHurried = true;
  }

  /** Returns true once the hold lets the lead through, false if the time is up or the run must stop waiting. */
  async wait({ held, again }: HoldToJoin, giveUpAt: number): Promise<boolean> {
    if (this.passed && !isAt(this.passed)(held)) await this.tell({ said: 'gone' });
    this.mayGo = false;
    this.passed = held;
    this.isHurried = false;
    while (Date.now() < giveUpAt && !this.isOver()) {
      const joined = await join(held, again);
      if (!joined) await sleep(joinFailedMs);
      else if (await this.isCalled(held, Math.min(Date.now() + joinAgainMs, giveUpAt))) return true;
    }
    await this.tell({ said: 'gone' });
    return false;
  }

  private async isCalled(held: Held, until: number): Promise<boolean> {
    while (await condition(() => this.mayGo || this.isHurried || this.isOver(), Math.max(1, until - Date.now()))) {
      if (this.mayGo) return true;
      if (this.isOver()) break;
      this.isHurried = false;
      // The hold has ended, so the lead joins again.
      if (!(await isDone(holdOf(held).signal(nextSignal)))) break;
    }
    return this.mayGo;
  }

  leave(): Promise<void> {
    return this.tell({ said: 'gone' });
  }

  /** Reports the attempt to the hold, if there is one. */
  async tell(heard: Heard): Promise<void> {
    const { passed } = this;
    if (!passed) return;
    this.passed = undefined;
    const { runId } = workflowInfo();
    const isOwnTrouble = heard.said === 'failed' && passed.pause;
    await isDone(holdOf(passed).signal(heardSignal, { runId, heard: isOwnTrouble ? { said: 'gone' } : heard }));
  }
}

const holdOf = (held: Held) => getExternalWorkflowHandle(holdId(workflowInfo().taskQueue, held));

const isDone = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    (error: unknown) => Boolean(unlessCancelled(error)),
  );

/** What a failed attempt reports to the hold. A refusal is an answer, too. */
export function heardIn({ type, message, retryAfterMs, notAsked }: FailedAttempt): Heard {
  if (notAsked) return { said: 'gone' };
  return type === 'NOT_SENT' || type === 'UNKNOWN' ? { said: 'failed', reason: message, retryAfterMs } : { said: 'answered' };
}

async function join(held: Held, again: boolean): Promise<boolean> {
  const { joinHold } = proxyLocalActivities<Activities>({
    summary: 'join the waiting line',
    startToCloseTimeout: 3_000,
    retry: { maximumAttempts: 2 },
  });
  return isDone(joinHold(held, again));
}
