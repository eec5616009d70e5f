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
import { holdId, type HoldNotice, type LeadResult, type ProbeResult } from '../domain/hold';
import { isAt } from '../domain/upstreams';
import { unlessCancelled } from './failures';
import type { FailedAttempt } from './step';

/** Lets a lead in the waiting line through: to try an upstream that is held, or because it answers again. */
export const goSignal = defineSignal<['probe' | 'drain']>('go');
/** Makes the hold let its next lead through now. */
export const nextSignal = defineSignal('next');
/** Makes the hold read whether its upstream is paused. */
export const lookSignal = defineSignal('look');
export const resultSignal = defineSignal<[LeadResult]>('heard');

/** A lead joins again after this time, in case the hold has ended. */
const joinAgainMs = 600_000;
const joinFailedMs = 5_000;

interface HoldToWaitAt {
  readonly held: HoldNotice;
  readonly again: boolean;
}

export class WaitingLine {
  private letThrough: 'probe' | 'drain' | undefined;
  private isHurried = false;
  /** The hold that this lead waits at, or that let it through and has no result yet. */
  private hold: HoldNotice | undefined;

  /** `isOver`: true if the run must stop waiting. */
  constructor(private readonly isOver: () => boolean) {
    setHandler(goSignal, (as) => {
      this.letThrough = as;
    });
  }

  /**
   * The hold to wait at after this failure: the one that stopped the lead, or the one that let it try a held upstream. A lead that fails
   * while the upstream answers others has trouble of its own: it is retried as if it had not waited.
   */
  holdAfter({ held = this.letThrough === 'probe' ? this.hold : undefined }: FailedAttempt): HoldToWaitAt | undefined {
    return held && { held, again: held === this.hold };
  }

  /** Makes the hold let its next lead through now. */
  hurryNext(): void {
    this.isHurried = true;
  }

  /** Returns true once the hold lets the lead through, false if the time is up or the run must stop waiting. */
  async wait({ held, again }: HoldToWaitAt, giveUpAt: number): Promise<boolean> {
    if (this.hold && !isAt(this.hold)(held)) await this.report({ said: 'gone' });
    this.letThrough = undefined;
    this.hold = held;
    this.isHurried = false;
    while (Date.now() < giveUpAt && !this.isOver()) {
      const joined = await join(held, again);
      if (!joined) await sleep(joinFailedMs);
      else if (await this.waitForTurn(held, Math.min(Date.now() + joinAgainMs, giveUpAt))) return true;
    }
    await this.report({ said: 'gone' });
    return false;
  }

  private async waitForTurn(held: HoldNotice, until: number): Promise<boolean> {
    while (await condition(() => this.letThrough !== undefined || this.isHurried || this.isOver(), Math.max(1, until - Date.now()))) {
      if (this.letThrough) return true;
      if (this.isOver()) break;
      this.isHurried = false;
      // The hold has ended, so the lead joins again.
      if (!(await succeeds(holdOf(held).signal(nextSignal)))) break;
    }
    return this.letThrough !== undefined;
  }

  leave(): Promise<void> {
    return this.report({ said: 'gone' });
  }

  /** Reports the attempt to the hold, if there is one. */
  async report(heard: ProbeResult): Promise<void> {
    const { hold } = this;
    if (!hold) return;
    this.hold = undefined;
    const { workflowId, runId } = workflowInfo();
    await succeeds(holdOf(hold).signal(resultSignal, { workflowId, runId, heard }));
  }
}

const holdOf = (held: HoldNotice) => getExternalWorkflowHandle(holdId(workflowInfo().taskQueue, held));

const succeeds = (request: Promise<unknown>): Promise<boolean> =>
  request.then(
    () => true,
    (error: unknown) => Boolean(unlessCancelled(error)),
  );

/** The report of a failed attempt to the hold. A refusal is an answer, too. */
export function probeResultOf({ type, message, retryAfterMs, notAsked }: FailedAttempt): ProbeResult {
  if (notAsked) return { said: 'gone' };
  return type === 'NOT_SENT' || type === 'UNKNOWN' ? { said: 'failed', reason: message, retryAfterMs } : { said: 'answered' };
}

async function join(held: HoldNotice, again: boolean): Promise<boolean> {
  const { joinHold } = proxyLocalActivities<Activities>({
    summary: 'queue for the upstream',
    startToCloseTimeout: 3_000,
    retry: { maximumAttempts: 2 },
  });
  return succeeds(joinHold(held, again));
}
