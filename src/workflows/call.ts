/**
 * The run of a call: a request that is nobody's lead, with a caller who waits. It retries for seconds only, passes every hold, and fails
 * where a lead would wait or park.
 */
import { proxySinks } from '@temporalio/workflow';
import type { JsonObject, LeadInput, LeadReport } from '../domain/lead';
import type { ReportSinks } from '../domain/report-sinks';
import { failureOf, pauseAfter, StepRun, type Step } from './run';
import { failedAttempt } from './proxies';

const patienceMs = 10_000;

const { report: reports } = proxySinks<ReportSinks>();

export class CallRun extends StepRun {
  /** True if the API in the worker's process may answer before the engine has written the result (docs/decisions/0002). */
  tellsAtOnce = true;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    super(lead, '', flow, stepNames);
  }

  override end(state: 'delivered' | 'skipped', result: JsonObject): LeadReport {
    const report = super.end(state, result);
    if (this.tellsAtOnce) reports.end(report);
    return report;
  }

  protected async carry<T extends JsonObject>(step: Step<T>): Promise<T> {
    const giveUpAt = Date.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        this.timeline.count(step.name);
        return await step.attempt({ tries, leftMs: giveUpAt - Date.now(), bypassHold: true });
      } catch (error) {
        const failed = failedAttempt(error);
        const failure = failureOf(failed, step, this.lead.body);
        const pauseMs = pauseAfter(failed, step, tries);
        if (pauseMs === undefined || Date.now() + pauseMs >= giveUpAt)
          throw this.failed(step.name, failure, step.errorContext?.(failed.body) ?? {});
        await this.pause(step.name, failure, pauseMs);
      }
    }
  }
}
