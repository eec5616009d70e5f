/**
 * One lead's run, and the one loop that every step goes through. What failed is tried again, looked up, given to a person or
 * refused, by its outcome alone:
 *
 *   not sent            tried again with growing pauses while the lead's time lasts, then a person
 *   held                the same, but its turn comes in the line before the upstream
 *   refused             the run fails; where an earlier step cannot be taken back, a person
 *   unknown, a read     tried again like "not sent"
 *   unknown, a send     looked up where the upstream can be asked, then a person; never sent again blindly
 */
import { ApplicationFailure, condition, proxySinks, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { Claimed, ClaimSinks } from '../domain/claims';
import { leadIdOf } from '../domain/ids';
import { stateAfter, type Decision, type Failure, type JsonObject, type LeadInput, type LeadReport, type State } from '../domain/lead';
import type { ReportSinks } from '../domain/report-sinks';
import { failedAttempt, failureOf, type FailedAttempt } from './attempt';
import { heardIn, WaitingLine } from './waiting-line';
import { decideUpdate, reportQuery } from './messages';
import { Timeline } from './timeline';

/** The last one repeats. Short enough that a lead goes out within a minute of its upstream's return. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 45_000] as const;
const longestPauseMs = 45_000;
const retryAfterMostMs = 300_000;
/** When a request whose outcome is unknown is looked up: the first catch the slow ones, the last the late ones. */
const lookUpsMs = [2_000, 5_000, 15_000, 45_000, 120_000, 300_000, 900_000];
const readBacksMs = [2_000, 5_000, 15_000];
/** How long a caller's single look-up is tried. */
const callPatienceMs = 10_000;

const { report: reports, claims } = proxySinks<ReportSinks & ClaimSinks>();

/** One try: `tries` counts from 0, `leftMs` is what the run's patience still grants, `pass` that no hold stops it. */
export interface Try {
  readonly tries: number;
  readonly leftMs: number;
  readonly bypassHold: boolean;
}

export interface Step<T extends JsonObject> {
  readonly name: string;
  attempt(attempt: Try): Promise<T>;
  /** A read: an unknown outcome is no danger, it is simply tried again. */
  readonly repeatable?: true;
  /** A refusal here waits for a person, because an earlier step cannot be taken back. */
  readonly refusalParks?: true;
  /** What is true of the lead when this step does not succeed, for the message. */
  readonly meaning?: string;
  /** What an earlier step made is there, and the whole request sent again would make it a second time. */
  readonly neverAgain?: true;
  /** What stands beside the error in the answer: how far the lead got, and the upstream's own words if it answered. */
  errorContext?(body: unknown): JsonObject;
  /** The result, when the unknown request turns out to have arrived. Absent: there is nobody to ask. */
  lookUp?(): Promise<T | undefined>;
  /** What arrived is there at once: two answers without it are believed, and where nobody can be asked that is believed, too. */
  readonly readBack?: true;
  /** The result, when a person says that it arrived, with the upstream's id; undefined when that is none. */
  confirmed?(upstreamId: string): T | undefined;
}

export class LeadRun {
  readonly timeline: Timeline;
  /** What a lead came to is told by the engine alone. A call that succeeds may tell it before (docs/decisions/0020). */
  tellsAtOnce: boolean;
  private readonly line = new WaitingLine();
  private decision: Decision | undefined;
  private parked: Step<JsonObject> | undefined;
  private readonly isLead: boolean;
  private readonly held: Claimed[];

  constructor(
    private readonly lead: LeadInput,
    flow: string,
    stepNames: readonly string[],
  ) {
    const { workflowId, firstExecutionRunId: runId } = workflowInfo();
    const { leadId = leadIdOf({ workflowId, runId }), claim } = lead;
    // By the input and not by the id: a stored run is replayed under whatever id.
    this.isLead = lead.leadId !== '';
    this.held = claim ? [claim] : [];
    this.timeline = new Timeline(leadId, this.isLead, flow, stepNames);
    this.tellsAtOnce = !this.isLead;
    setHandler(reportQuery, () => this.timeline.report());
    setHandler(decideUpdate, (decision: Decision) => this.accept(decision), { validator: (decision: Decision) => this.check(decision) });
  }

  /** Takes one step to its end, however long that takes. */
  async take<T extends JsonObject>(step: Step<T>): Promise<T> {
    this.timeline.begin(step.name);
    const result = await this.carry(step);
    this.timeline.become('running');
    this.timeline.end(step.name, 'done');
    return result;
  }

  /** Something that is held for this run until its end. */
  holds(claim: Claimed): void {
    this.held.push(claim);
  }

  /** The run's end: what the engine keeps as its result. */
  end(state: 'delivered' | 'skipped', result: JsonObject): LeadReport {
    this.timeline.become(state);
    const report = this.timeline.report(result);
    if (this.tellsAtOnce) reports.end(report);
    this.giveBack();
    return report;
  }

  private giveBack(): void {
    if (this.held.length > 0) claims.giveBack(this.held);
  }

  private async carry<T extends JsonObject>(step: Step<T>): Promise<T> {
    const { isLead } = this;
    let giveUpAt = Date.now() + (isLead ? this.lead.rules.leadTtlMs : callPatienceMs);
    let bypassHold = !isLead;
    for (let tries = 0; ; tries++) {
      try {
        this.timeline.count(step.name);
        const result = await step.attempt({ tries, leftMs: giveUpAt - Date.now(), bypassHold });
        await this.line.tell({ said: 'answered' });
        return result;
      } catch (error) {
        const failed = failedAttempt(error);
        const failure = failureOf(failed, step);
        const errorContext = step.errorContext?.(failed.body) ?? {};
        const pauseMs = pauseAfter(failed, step, tries);
        const turn = pauseMs === undefined ? undefined : this.line.turnAfter(failed);
        if (failed.held) this.timeline.count(step.name, -1);
        else await this.line.tell(heardIn(failed));
        if (turn) {
          this.stand(step.name, failure);
          bypassHold = await this.line.wait(turn, giveUpAt);
          if (bypassHold) continue;
        } else if (pauseMs !== undefined && Date.now() + pauseMs < giveUpAt) {
          await this.pause(step.name, failure, pauseMs);
          continue;
        }
        bypassHold = !isLead;
        if (!isLead || (isRefusal(failed) && !step.refusalParks)) throw this.failed(step.name, failure, errorContext);
        const settled = (failed.type === 'UNKNOWN' && (await this.verify(step, failure))) || (await this.park(step, failure, errorContext));
        if (settled !== 'resend') return settled;
        giveUpAt = Date.now() + this.lead.rules.leadTtlMs;
      }
    }
  }

  private async pause(name: string, failure: Failure, pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    this.stand(name, failure);
    await sleep(pauseMs);
  }

  private stand(name: string, failure: Failure): void {
    this.timeline.trouble(name, 'waiting', failure);
    this.timeline.become('waiting');
  }

  private async verify<T extends JsonObject>(step: Step<T>, failure: Failure): Promise<T | undefined> {
    if (!step.lookUp) return undefined;
    this.timeline.trouble(step.name, 'verifying', failure);
    this.timeline.become('verifying');
    return step.readBack ? this.look(step.lookUp, readBacksMs, 2) : this.look(step.lookUp, lookUpsMs);
  }

  /** `believed`: so many answers without it are enough; a refusal to answer is, at once. */
  private async look<T>(lookUp: () => Promise<T | undefined>, pausesMs: readonly number[], believed = Infinity): Promise<T | undefined> {
    let missed = 0;
    for (const pauseMs of pausesMs) {
      await sleep(pauseMs);
      try {
        const found = await lookUp();
        if (found) return found;
        missed++;
      } catch (error) {
        if (failedAttempt(error).type === 'REFUSED' && believed < Infinity) return undefined;
      }
      if (missed >= believed) return undefined;
    }
    return undefined;
  }

  private async park<T extends JsonObject>(step: Step<T>, failure: Failure, errorContext: JsonObject): Promise<T | 'resend'> {
    this.timeline.trouble(step.name, 'parked', failure);
    this.timeline.failure = failure;
    this.timeline.errorContext = errorContext;
    this.timeline.become('parked');
    this.parked = step;
    await condition(() => this.decision !== undefined);
    const decision = this.decision;
    this.parked = undefined;
    this.decision = undefined;
    if (decision?.verb === 'discard') throw this.ended('discarded', step.name, failure);
    this.timeline.failure = undefined;
    this.timeline.errorContext = undefined;
    this.timeline.resume(step.name);
    this.timeline.become('running');
    return (decision?.verb === 'confirm' && step.confirmed?.(decision.upstreamId)) || 'resend';
  }

  private failed(name: string, failure: Failure, errorContext: JsonObject): ApplicationFailure {
    this.timeline.failure = failure;
    this.timeline.errorContext = errorContext;
    return this.ended('failed', name, failure);
  }

  /** The engine keeps the report as the failure's details, so that a closed run can be read without its worker. */
  private ended(state: 'failed' | 'discarded', name: string, failure: Failure): ApplicationFailure {
    this.timeline.trouble(name, 'failed', failure);
    this.timeline.become(state);
    this.giveBack();
    return ApplicationFailure.create({
      type: failure.code,
      message: failure.message,
      nonRetryable: true,
      details: [this.timeline.report()],
    });
  }

  private accept(decision: Decision): State {
    this.decision = decision;
    return stateAfter(decision);
  }

  private check(decision: Decision): void {
    if (!this.parked || this.decision) throw ApplicationFailure.nonRetryable('The lead is not parked', 'WRONG_STATE');
    if (decision.verb !== 'confirm' || this.parked.confirmed?.(decision.upstreamId)) return;
    throw ApplicationFailure.nonRetryable('This step cannot be confirmed with that upstreamId', 'VALIDATION_ERROR');
  }
}

const isRefusal = ({ type }: FailedAttempt) => type === 'REFUSED' || type === 'KEY_REFUSED' || type === 'CONFIG_ERROR';

/** How long to wait before the next try; undefined where there must be none. */
function pauseAfter<T extends JsonObject>(failed: FailedAttempt, step: Step<T>, tries: number): number | undefined {
  if (failed.type !== 'NOT_SENT' && !(failed.type === 'UNKNOWN' && step.repeatable)) return undefined;
  // A read's first try is a quick one: the second follows at once, as an activity with all the time it needs.
  if (step.repeatable && tries === 0 && !failed.retryAfterMs) return 0;
  return Math.max(pausesMs[tries] ?? longestPauseMs, Math.min(failed.retryAfterMs ?? 0, retryAfterMostMs));
}
