/** A lead's side of the line before an upstream that is held: it joins, waits for its turn, and says how that went. */
import { condition, getExternalWorkflowHandle, proxyLocalActivities, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities';
import { holdId, type Heard, type Held } from '../domain/hold';
import { unlessCancelled, type FailedAttempt } from './attempt';
import { goSignal, heardSignal } from './messages';

/** Should the line be lost, whoever stood in it joins again. */
const joinAgainMs = 600_000;
const joinFailedMs = 5_000;

interface Turn {
  readonly held: Held;
  readonly again: boolean;
}

export class WaitingLine {
  private mayGo = false;
  /** The hold whose line this lead stands in, or that has let it through and not heard yet how that went. */
  private passed: Held | undefined;

  constructor() {
    setHandler(goSignal, () => {
      this.mayGo = true;
    });
  }

  /** Where to wait after this failure: the hold that stopped the lead, or the one that let it through in vain. */
  turnAfter({ held = this.passed }: FailedAttempt): Turn | undefined {
    return held && { held, again: held === this.passed };
  }

  /** True when it is this lead's turn; false when its time was up before. */
  async wait({ held, again }: Turn, giveUpAt: number): Promise<boolean> {
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

  /** Nobody waits for these words but the hold; and where there was none, they are not said. */
  async tell(heard: Heard): Promise<void> {
    const { passed } = this;
    if (!passed) return;
    this.passed = undefined;
    const { taskQueue, runId } = workflowInfo();
    await getExternalWorkflowHandle(holdId(taskQueue, passed)).signal(heardSignal, { runId, heard }).catch(unlessCancelled);
  }
}

/** What a failed attempt says of the upstream: a refusal, too, is an answer. */
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
