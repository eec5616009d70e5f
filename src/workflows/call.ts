/** Runs a call, which is no lead. It bypasses every hold, and fails where a lead would wait or park. */
import type { JsonObject } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { extraTries } from '../domain/outcome';
import { failedAttempt, failureOf, pauseAfter } from './failures';
import { pendingSteps, StepRun } from './run';
import type { FailedAttempt, Step } from './step';

/** A caller waits for the answer, so a call is retried for this long only. */
export const callPatienceMs = 10_000;

const noTimeLeft: FailedAttempt = { type: 'NOT_SENT', message: 'No time was left for this step: the steps before it used it up' };

export class CallRun extends StepRun {
  /** The deadline of all steps together; without it, each step has its own. */
  giveUpAt?: number;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    super(lead, '', flow, pendingSteps(stepNames));
  }

  protected async completeStep<T extends JsonObject>(step: Step<T>): Promise<T> {
    const giveUpAt = this.giveUpAt ?? Date.now() + callPatienceMs;
    if (Date.now() >= giveUpAt) throw await this.failed(step.name, failureOf(noTimeLeft, step), {});
    for (let tries = 0; ; tries++) {
      try {
        this.timeline.count(step.name);
        return await step.attempt({ tries, leftMs: Math.max(1, giveUpAt - Date.now()), bypassHold: 'pause-too' });
      } catch (error) {
        const failed = failedAttempt(error);
        this.timeline.count(step.name, extraTries(failed));
        const failure = failureOf(failed, step, this.lead.body);
        const pauseMs = pauseAfter(failed, step, tries);
        if (pauseMs === undefined || Date.now() + pauseMs >= giveUpAt)
          throw await this.failed(step.name, failure, step.errorContext?.(failed) ?? {});
        await this.pause(step.name, failure, pauseMs);
      }
    }
  }
}
