/** The run of a call, which is nobody's lead. It passes every hold, and fails where a lead would wait or park. */
import type { JsonObject } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { moreTries } from '../domain/outcome';
import { failedAttempt, failureOf, pauseAfter } from './failures';
import { pendingSteps, StepRun } from './run';
import type { FailedAttempt, Step } from './step';

/** A call has a caller who waits, so it is retried for this long only. */
export const callPatienceMs = 10_000;

const outOfTime: FailedAttempt = { type: 'NOT_SENT', message: 'No time was left for this step: those before it took all' };

export class CallRun extends StepRun {
  /** Set if all steps together have the patience of one. */
  giveUpAt?: number;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    super(lead, '', flow, pendingSteps(stepNames));
  }

  protected async carry<T extends JsonObject>(step: Step<T>): Promise<T> {
    const giveUpAt = this.giveUpAt ?? Date.now() + callPatienceMs;
    if (Date.now() >= giveUpAt) throw await this.failed(step.name, failureOf(outOfTime, step), {});
    for (let tries = 0; ; tries++) {
      try {
        this.timeline.count(step.name);
        return await step.attempt({ tries, leftMs: Math.max(1, giveUpAt - Date.now()), bypassHold: 'pause-too' });
      } catch (error) {
        const failed = failedAttempt(error);
        this.timeline.count(step.name, moreTries(failed));
        const failure = failureOf(failed, step, this.lead.body);
        const pauseMs = pauseAfter(failed, step, tries);
        if (pauseMs === undefined || Date.now() + pauseMs >= giveUpAt)
          throw await this.failed(step.name, failure, step.errorContext?.(failed) ?? {});
        await this.pause(step.name, failure, pauseMs);
      }
    }
  }
}
