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
import { isAt } from '../domain/upstreams';
import { unlessCancelled } from './failures';
import type { FailedAttempt } from './step';

/** Tells a lead in the waiting line that it may go. */
export const goSignal = defineSignal('go');
/** Tells the hold to let the next lead of its line through now. */
export const nextSignal = defineSignal('next');
/** Tells the hold to look whether its upstream is paused. */
export const lookSignal = defineSignal('look');
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
  private isHurried = false;
  /** The hold that this lead waits at, or that let it through and has not heard the result yet. */
  private passed: Held | undefined;

  /** `isOver`: the run must not wait here any longer. */
  constructor(private readonly isOver: () => boolean) {
    setHandler(goSignal, () => {
      this.mayGo = true;
    });
  }

  /**
   * The hold to wait at after this failure: the one that stopped the lead, or the one that let it through in vain. After a pause, a lead
   * that fails is tried again as if it had not waited.
   */
  holdAfter({ held = this.passed?.pause ? undefined : this.passed }: FailedAttempt): HoldToJoin | undefined {
    return held && { held, again: held === this.passed };
  }

  /** The next lead of the line shall go now. */
  hurry(): void {
    this.isHurried = true;
  }

  /** True once the lead may go; false if its time was up before, or the run must not wait any longer. */
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
      // Without a hold there is nobody to call this lead: it joins again.
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

/** The report of a failed attempt to the hold. A refusal is an answer, too. */
export function heardIn({ type, message, retryAfterMs, notAsked }: FailedAttempt): Heard {
  if (notAsked) return { said: 'gone' };
  return type === 'NOT_SENT' || type === 'UNKNOWN' ? { said: 'failed', reason: message, retryAfterMs } : { said: 'answered' };
}

async function join(held: Held, again: boolean): Promise<boolean> {
  const { joinHold } = proxyLocalActivities<Activities>({
    summary: 'join the line',
    startToCloseTimeout: 3_000,
    retry: { maximumAttempts: 2 },
  });
  return isDone(joinHold(held, again));
}
