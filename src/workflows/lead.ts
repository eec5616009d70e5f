/**
 * The run of a lead, and the one loop that takes every step to its end. The outcome of a failed attempt alone decides what comes next:
 *
 *   not sent            tried again with growing pauses while the lead's time lasts, then parked
 *   held or paused      the same, but the lead waits in the upstream's waiting line
 *   refused             the run fails; parked if an earlier step cannot be taken back
 *   unknown, a read     tried again as if not sent
 *   unknown, a send     looked up if the upstream can be asked, then parked; never sent again by itself
 */
import { ApplicationFailure, condition, defineUpdate, setHandler, sleep, workflowInfo } from '@temporalio/workflow';
import type { EventType } from '../domain/events';
import { attemptIn, leadIdOf } from '../domain/ids';
import {
  stateAfter,
  updateOf,
  waitAt,
  waitFor,
  type Decision,
  type Failure,
  type JsonObject,
  type LeadInput,
  type State,
} from '../domain/lead';
import { CallRun, failureOf, pauseAfter, StepRun, type EndState, type Step } from './run';
import { heardIn, WaitingLine } from './waiting-line';
import { failedAttempt, repeatable, unlessCancelled, untilDone, type FailedAttempt } from './proxies';

const decideUpdate = defineUpdate<State, [Decision]>(updateOf({ verb: 'resend' }));
const tryUpdate = defineUpdate<State, [Decision]>(updateOf({ verb: 'try' }));

/** The pauses before each look-up of a request with an unknown outcome: the first ones catch slow requests, the last ones late ones. */
const lookUpsMs = [2_000, 5_000, 15_000, 45_000, 120_000, 300_000, 900_000];
const handOverMs = 3_000;
const readBacksMs = [2_000, 5_000, 15_000];

/** Chooses the kind of run. A call has an empty lead id, and so has a dry run. */
export const runOf = (lead: LeadInput, flow: string, stepNames: readonly string[]): StepRun =>
  lead.leadId === '' ? new CallRun(lead, flow, stepNames) : new LeadRun(lead, flow, stepNames);

class LeadRun extends StepRun {
  private readonly line = new WaitingLine();
  private changes = 0;
  /** Settles when the lead's outbox has all events so far. No step waits for that, only the end of the run. */
  private handedOver: Promise<void> = Promise.resolve();
  private decision: Decision | undefined;
  private parked: Step<JsonObject> | undefined;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    const { workflowId, firstExecutionRunId: runId } = workflowInfo();
    super(lead, lead.leadId ?? leadIdOf({ workflowId, runId }), flow, stepNames);
    setHandler(decideUpdate, (decision: Decision) => this.accept(decision), { validator: (decision: Decision) => this.check(decision) });
    const validator: (decision: Decision) => void = () => this.mustWait();
    setHandler(tryUpdate, (decision: Decision) => this.tryNow(decision), { validator });
    this.tell(lead.redriven ? 'lead.redriven' : 'lead.accepted');
  }

  protected override beforeEnd(state: EndState): Promise<void> {
    this.tell(`lead.${state}`);
    return this.handedOver;
  }

  /** Hands an event over to the lead's outbox, after the ones before. */
  private tell(type: EventType): void {
    const { events } = this.lead;
    if (!events) return;
    const { leadId, flow, state, step, failure } = this.timeline.report();
    const at = new Date(Date.now()).toISOString();
    const attempt = attemptIn(workflowInfo().workflowId);
    const change = { type, attempt, number: ++this.changes, at, leadId, flow, state, step, failure };
    const summary = `hand over ${type}`;
    this.handedOver = this.handedOver
      .then(() => repeatable(summary, handOverMs, 0).handOverEvent(change, events))
      .catch((error: unknown) => {
        unlessCancelled(error);
        return untilDone(summary, handOverMs).handOverEvent(change, events);
      });
    // A cancelled run tells nothing more.
    this.handedOver.catch(() => undefined);
  }

  protected async carry<T extends JsonObject>(step: Step<T>): Promise<T> {
    let giveUpAt = Date.now() + this.lead.rules.leadTtlMs;
    let bypassHold = false;
    for (let tries = 0; ; tries++) {
      try {
        this.timeline.count(step.name);
        const result = await step.attempt({ tries, leftMs: giveUpAt - Date.now(), bypassHold });
        await this.line.tell({ said: 'answered' });
        return result;
      } catch (error) {
        const failed = failedAttempt(error);
        const failure = failureOf(failed, step, this.lead.body);
        const errorContext = step.errorContext?.(failed) ?? {};
        const pauseMs = pauseAfter(failed, step, tries);
        const hold = pauseMs === undefined ? undefined : this.line.holdAfter(failed);
        if (failed.held) this.timeline.count(step.name, -1);
        else await this.line.tell(heardIn(failed));
        if (hold) {
          this.stand(step.name, failure);
          const mayGo = await this.timeline.during(waitAt(hold.held), this.line.wait(hold, giveUpAt));
          // After a pause the upstream may still fail, and then its own hold keeps the lead.
          bypassHold = mayGo && !hold.held.pause;
          if (mayGo) continue;
        } else if (pauseMs !== undefined && Date.now() + pauseMs < giveUpAt) {
          await this.pause(step.name, failure, pauseMs);
          continue;
        }
        bypassHold = false;
        if (isRefusal(failed) && !step.refusalParks) throw await this.failed(step.name, failure, errorContext);
        const settled = (failed.type === 'UNKNOWN' && (await this.verify(step, failure))) || (await this.park(step, failure, errorContext));
        if (settled !== 'resend') return settled;
        giveUpAt = Date.now() + this.lead.rules.leadTtlMs;
      }
    }
  }

  private async verify<T extends JsonObject>(step: Step<T>, failure: Failure): Promise<T | undefined> {
    if (!step.lookUp) return undefined;
    this.timeline.trouble(step.name, 'verifying', failure);
    this.timeline.become('verifying');
    return step.readBack ? this.look(step.lookUp, readBacksMs, 2) : this.look(step.lookUp, lookUpsMs);
  }

  /** Looks until something is found. With `believed`, that many look-ups without it, or one that the upstream refuses, end the search. */
  private async look<T>(lookUp: () => Promise<T | undefined>, pausesMs: readonly number[], believed = Infinity): Promise<T | undefined> {
    let missed = 0;
    for (const pauseMs of pausesMs) {
      await this.timeline.during(waitFor('look-up', Date.now() + pauseMs), sleep(pauseMs));
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
    this.tell('lead.parked');
    this.parked = step;
    await this.timeline.during(
      waitFor('decision'),
      condition(() => this.decision !== undefined),
    );
    const decision = this.decision;
    this.parked = undefined;
    this.decision = undefined;
    if (decision?.verb === 'discard') throw await this.ended('discarded', step.name, failure);
    this.timeline.failure = undefined;
    this.timeline.errorContext = undefined;
    this.timeline.resume(step.name);
    this.timeline.become('running');
    const confirmed = decision?.verb === 'confirm' && step.confirmed?.(decision.upstreamId);
    if (!confirmed) return 'resend';
    if (!this.timeline.patientHash) await this.knowPatient(decision.upstreamId);
    return confirmed;
  }

  private accept(decision: Decision): State {
    this.decision = decision;
    return stateAfter(decision);
  }

  /** Ends the pause; in a waiting line, lets its next lead go. */
  private tryNow(decision: Decision): State {
    this.hurry();
    this.line.hurry();
    return stateAfter(decision);
  }

  private mustWait(): void {
    const { state, waitsFor } = this.timeline.report();
    if (state === 'waiting' && waitsFor) return;
    const now = state === 'waiting' ? 'is being tried just now' : `does not wait: it is ${state}`;
    throw ApplicationFailure.nonRetryable(`The lead ${now}`, 'WRONG_STATE');
  }

  private check(decision: Decision): void {
    if (!this.parked || this.decision) throw ApplicationFailure.nonRetryable('The lead is not parked', 'WRONG_STATE');
    if (decision.verb !== 'confirm' || this.parked.confirmed?.(decision.upstreamId)) return;
    throw ApplicationFailure.nonRetryable('This step cannot be confirmed with that upstreamId', 'VALIDATION_ERROR');
  }
}

const isRefusal = ({ type }: FailedAttempt) => type === 'REFUSED' || type === 'KEY_REFUSED' || type === 'CONFIG_ERROR';
