/**
 * Runs a lead: one loop completes each step. The outcome of a failed attempt decides what follows:
 *
 *   not sent            retried with growing pauses until the lead's time is up, then parked
 *   held or paused      the same, but the lead waits in the upstream's waiting line
 *   refused             the run fails; parked if an earlier step cannot be undone
 *   unknown, a read     retried as if not sent; from the third try on, by the engine
 *   unknown, a send     looked up if the upstream has a look-up, then parked; never sent again automatically
 *
 * A run with a long history continues as new between two tries.
 */
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineUpdate,
  isCancellation,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { leadAlreadySent, patientIdOf, type FlowStep } from '../domain/clinicsys';
import type { EventType } from '../domain/events';
import { attemptIn, leadIdOf } from '../domain/ids';
import {
  busyType,
  isOver,
  notAgain,
  stateAfter,
  updateOf,
  waitAt,
  waitFor,
  type Decision,
  type Failure,
  type JsonObject,
  type LeadReport,
  type State,
} from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import { memoOf, type Memo } from '../domain/memo';
import { extraTries, type ExchangeFacts } from '../domain/outcome';
import { possibleRepeat } from '../domain/repeats';
import { CallRun } from './call';
import { failedAttempt, failureOf, pauseAfter, unlessCancelled } from './failures';
import { isLong } from './long-waits';
import { quickly, untilDone } from './proxies';
import { ownHashes, ownHolder, pendingSteps, StepRun, type EndState } from './run';
import type { FailedAttempt, Step, Try } from './step';
import { probeResultOf, WaitingLine } from './waiting-line';

const decideUpdate = defineUpdate<State, [Decision]>(updateOf({ verb: 'resend' }));
const tryUpdate = defineUpdate<State, [Decision]>(updateOf({ verb: 'try' }));
/** Returns the report once the lead is parked; undefined when its state changes, or the run ends or continues: then the caller asks again. */
const settledUpdate = defineUpdate<LeadReport | undefined>('settled');
/** A caller with another API key has sent the same body. */
const alsoSentUpdate = defineUpdate<void, [string]>('alsoSent');

/** The pauses before the look-ups after an unknown outcome. They grow, because the request may still arrive late. */
const lookUpsMs = [2_000, 5_000, 15_000, 45_000, 120_000, 300_000, 900_000];
const handOverMs = 3_000;
const claimDeadlineMs = 10_000;
const countDeadlineMs = 1_000;
const readBacksMs = [2_000, 5_000, 15_000];
const waitedForLock = 'The lead was waiting for another lead of the same person. Nothing was sent';
const endedBefore = 'A person ended the lead before this step, so the step sent nothing';
const replacedWords = 'A person ended its wait to send it with corrected fields';
/** After this step, a repeat of the lead would create the person twice. A step that was skipped has no result. */
const sendStep: FlowStep = 'send-to-rt';

/** Chooses the kind of run. A call and a dry run have an empty lead id. */
export const runOf = (lead: LeadInput, flow: string, stepNames: readonly string[]): StepRun =>
  lead.leadId === '' ? new CallRun(lead, flow, stepNames) : new LeadRun(lead, flow, stepNames);

type ParkedStep<T extends JsonObject> = Pick<Step<T>, 'name' | 'confirmed' | 'knownId'>;

class LeadRun extends StepRun {
  private readonly waitingLine = new WaitingLine(() => this.mustStopWaiting());
  private readonly results: Record<string, JsonObject>;
  private readonly startedAt: number;
  /** Undefined once the lead has looked for another of the same person and study. */
  private claim = this.lead.claim;
  private changes: number;
  /** Resolves when the lead's outbox has all events so far. Only the end of the run waits for it. */
  private lastHandOver: Promise<void> = Promise.resolve();
  private decision: Decision | undefined;
  private parked: ParkedStep<JsonObject> | undefined;
  private isContinuing = false;
  /** Set when a person's decision ends the lead while it waits. */
  private requestedEnd: 'discarded' | 'failed' | undefined;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    const { workflowId, firstExecutionRunId: runId, startTime } = workflowInfo();
    const { continued } = lead;
    super(lead, lead.leadId ?? leadIdOf({ workflowId, runId }), flow, continued?.steps ?? pendingSteps(stepNames), continued?.state);
    this.results = { ...continued?.results };
    this.startedAt = continued?.startedAt ?? startTime.getTime();
    this.changes = continued?.changes ?? 0;
    this.timeline.patientHash = continued?.patientHash;
    setHandler(decideUpdate, (decision: Decision) => this.accept(decision), {
      validator: (decision: Decision) => this.validateDecision(decision),
    });
    const validator: (decision: Decision) => void = () => this.assertWaiting();
    setHandler(tryUpdate, (decision: Decision) => this.tryNow(decision), { validator });
    // If the run is cancelled, the caller reads its result, so this handler may stay unfinished.
    setHandler(settledUpdate, () => this.waitUntilParked(), { unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON });
    setHandler(alsoSentUpdate, (name: string) => this.alsoSent(name));
    if (!continued) this.handOver(lead.redriven ? 'lead.redriven' : 'lead.accepted');
  }

  /** Parks the lead if it may be a repeat, until a person decides. */
  override async askIfRepeat(): Promise<void> {
    const { claim } = this;
    this.claim = undefined;
    const [step] = this.timeline.report().steps;
    if (!claim || !step) return;
    const first = await untilDone('look for a lead of the same person and study', claimDeadlineMs).takeClaim(
      claim,
      ownHolder(),
      ownHashes(),
    );
    if (!first) return;
    await this.park(
      { name: step.name },
      { code: 'POSSIBLE_REPEAT', message: possibleRepeat(first.leadId), step: step.name, retryable: false },
      {},
    );
  }

  /** Skips a step whose result is in the input: an earlier run of the chain has completed it. */
  override async runStep<T extends JsonObject>(step: Step<T>): Promise<T> {
    const before = this.results[step.name];
    if (before) return before as T;
    const result = await super.runStep(step);
    this.results[step.name] = result;
    return result;
  }

  private alsoSent(name: string): void {
    const memo = memoOf(workflowInfo());
    if (memo) upsertMemo({ lead: { ...memo, senders: [...new Set([...(memo.senders ?? []), name])] } satisfies Memo });
  }

  private async waitUntilParked(): Promise<LeadReport | undefined> {
    const { changes } = this.timeline;
    await condition(() => this.isContinuing || this.parked !== undefined || isOver(this.timeline) || this.timeline.changes !== changes);
    // The report of an ended run is its result.
    return this.parked ? this.timeline.report() : undefined;
  }

  protected override beforeEnd(state: EndState): Promise<void> {
    this.handOver(`lead.${state}`);
    return this.lastHandOver;
  }

  /** Hands an event over to the lead's outbox, in order. */
  private handOver(type: EventType): void {
    const { events } = this.lead;
    if (!events) return;
    const { leadId, flow, state, step, failure } = this.timeline.report();
    const at = new Date(Date.now()).toISOString();
    const attempt = attemptIn(workflowInfo().workflowId);
    const change = { type, attempt, number: ++this.changes, at, leadId, flow, state, step, failure };
    const summary = `hand over ${type}`;
    this.lastHandOver = this.lastHandOver
      .then(() => quickly(summary, handOverMs).handOverEvent(change, events))
      .catch((error: unknown) => {
        unlessCancelled(error);
        return untilDone(summary, handOverMs).handOverEvent(change, events);
      });
    // A cancelled run hands over no more events.
    this.lastHandOver.catch(() => undefined);
  }

  protected async completeStep<T extends JsonObject>(step: Step<T>): Promise<T & ExchangeFacts> {
    const { continued } = this.lead;
    const isContinuedStep = continued && Object.keys(this.results).length === Object.keys(continued.results).length;
    // A run that continued while it waited for the person lock had begun no step.
    let giveUpAt = (isContinuedStep && continued.giveUpAt) || Date.now() + this.lead.rules.leadTtlMs;
    let bypassHold = false;
    for (let tries = isContinuedStep ? continued.tries : 0; ; tries++) {
      if (this.requestedEnd) throw await this.endWaiting(step.name, step);
      if (isLong()) await this.continueAsNew(giveUpAt, tries);
      try {
        this.timeline.count(step.name);
        const result = await this.tryOnce(step, { tries, leftMs: Math.max(1, giveUpAt - Date.now()), bypassHold });
        if (result === undefined) continue;
        await this.waitingLine.report({ said: 'answered' });
        return result;
      } catch (error) {
        const failed = failedAttempt(error);
        const failure = failureOf(failed, step, this.lead.body);
        const errorContext = step.errorContext?.(failed) ?? {};
        const pauseMs = pauseAfter(failed, step, tries);
        const hold = pauseMs === undefined ? undefined : this.waitingLine.holdAfter(failed);
        this.timeline.count(step.name, failed.held ? extraTries(failed) - 1 : extraTries(failed));
        if (!failed.held) await this.waitingLine.report(probeResultOf(failed));
        if (hold) {
          this.showWaiting(step.name, failure);
          const mayGo = await this.timeline.showWait(waitAt(hold.held), this.waitingLine.wait(hold, giveUpAt));
          // After a pause the upstream may still fail, and then the hold for failures applies.
          bypassHold = mayGo && !hold.held.pause;
          // After the line, its own pauses begin anew.
          if (mayGo) tries = -1;
          if (mayGo || this.mustStopWaiting()) continue;
        } else if (pauseMs !== undefined && Date.now() + pauseMs < giveUpAt) {
          await this.pause(step.name, failure, pauseMs);
          continue;
        }
        bypassHold = false;
        if (isRefusal(failed) && !step.refusalParks) throw await this.failed(step.name, failure, errorContext);
        const completed =
          (failed.type === 'UNKNOWN' && (await this.verify(step, failure))) || (await this.park(step, failure, errorContext));
        if (completed !== 'resend') return completed;
        giveUpAt = Date.now() + this.lead.rules.leadTtlMs;
      }
    }
  }

  /**
   * Makes one try. From the third try on, the engine retries a read while the lead waits. Returns undefined early if a person orders a try
   * or ends the lead, or if the history is long.
   */
  private async tryOnce<T extends JsonObject>(step: Step<T>, attempt: Try): Promise<T | undefined> {
    if (!step.repeatable || attempt.tries < 2 || attempt.bypassHold) return step.attempt(attempt);
    this.timeline.setState('waiting');
    this.isHurried = false;
    return this.timeline.showWait(
      waitFor('retry'),
      this.untilWoken(step.name, () => step.attempt(attempt)),
    );
  }

  /** Cancels an activity that the engine retries once something wakes the run. The engine stores its tries only until then. */
  private async untilWoken<T>(name: string, ask: () => Promise<T>): Promise<T | undefined> {
    const scope = new CancellationScope();
    let hasEnded = false;
    const running = scope.run(ask).finally(() => {
      hasEnded = true;
    });
    // A cancelled run stops here before it awaits the activity.
    running.catch(() => undefined);
    await condition(() => hasEnded || this.isWoken());
    if (hasEnded) return running;
    const tries = await quickly('count the tries', countDeadlineMs).countTries().catch(unlessCancelled);
    scope.cancel();
    try {
      return await running;
    } catch (error) {
      // Rethrow the cancellation of the run itself.
      if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
      this.timeline.count(name, (tries ?? 1) - 1);
      return undefined;
    }
  }

  protected override isWoken(): boolean {
    return this.isHurried || this.mustStopWaiting();
  }

  private mustStopWaiting(): boolean {
    return this.requestedEnd !== undefined || isLong();
  }

  /**
   * Ends a waiting lead by a person's decision. Nothing was sent at this step. The caller of a replaced lead must not repeat it, because its
   * next attempt sends it.
   */
  private async endWaiting(name: string, step?: Step<JsonObject>): Promise<ApplicationFailure> {
    await this.waitingLine.leave();
    const { error } = this.timeline.report().steps.find((each) => each.name === name) ?? {};
    const { code, message, upstream } = error ?? { code: 'UPSTREAM_ERROR', message: step ? endedBefore : waitedForLock };
    const isReplaced = this.requestedEnd === 'failed';
    this.timeline.failure = notAgain({ code, upstream, step: name, message: isReplaced ? `${replacedWords}: ${message}` : message });
    // An earlier run of the chain may have made the last try, which got no answer.
    this.timeline.errorContext = error && step?.errorContext?.({ type: 'NOT_SENT', message });
    return this.ended(this.requestedEnd ?? 'failed', name, this.timeline.failure);
  }

  protected override async afterLockPause(): Promise<void> {
    if (this.requestedEnd) throw await this.endWaiting(this.timeline.report().steps[0]?.name ?? '');
    if (isLong()) await this.continueAsNew(undefined, 0);
  }

  /** Continues as new with the results so far, when no activity is running. */
  private async continueAsNew(giveUpAt: number | undefined, tries: number): Promise<never> {
    this.isContinuing = true;
    await this.waitingLine.leave();
    await this.lastHandOver;
    await condition(allHandlersFinished);
    const { startedAt, results, changes, lead, timeline } = this;
    const { state, steps } = timeline.report();
    const continued = { startedAt, state, steps, results, patientHash: timeline.patientHash, giveUpAt, tries, changes };
    const { workflowType, firstExecutionRunId: firstRunId, ...info } = workflowInfo();
    const memo = { lead: { ...memoOf(info), continues: { firstRunId, startedAt: new Date(startedAt).toISOString() } } };
    // The engine sets the others itself.
    const searchAttributes = Object.fromEntries(Object.entries(info.searchAttributes).filter(([name]) => name.startsWith('Lead')));
    // Lists show only the newest run of a lead.
    upsertSearchAttributes({ LeadState: [], LeadFlow: [] });
    return makeContinueAsNewFunc<(lead: LeadInput) => Promise<LeadReport>>({ workflowType, searchAttributes, memo })({
      ...lead,
      claim: this.claim,
      continued,
    });
  }

  private async verify<T extends JsonObject>(step: Step<T>, failure: Failure): Promise<T | undefined> {
    if (!step.lookUp) return undefined;
    this.timeline.setError(step.name, 'verifying', failure);
    this.timeline.setState('verifying');
    return step.readBack ? this.lookUpRepeatedly(step.lookUp, readBacksMs, 2) : this.lookUpRepeatedly(step.lookUp, lookUpsMs);
  }

  /** Looks up until something is found. `believed` look-ups without a result, or one refusal, prove that it did not arrive. */
  private async lookUpRepeatedly<T>(
    lookUp: () => Promise<T | undefined>,
    pausesMs: readonly number[],
    missesThatProve = Infinity,
  ): Promise<T | undefined> {
    let missed = 0;
    for (const pauseMs of pausesMs) {
      await this.timeline.showWait(waitFor('look-up', Date.now() + pauseMs), sleep(pauseMs));
      try {
        const found = await lookUp();
        if (found) return found;
        missed++;
      } catch (error) {
        if (failedAttempt(error).type === 'REFUSED' && missesThatProve < Infinity) return undefined;
      }
      if (missed >= missesThatProve) return undefined;
    }
    return undefined;
  }

  private async park<T extends JsonObject>(step: ParkedStep<T>, failure: Failure, errorContext: JsonObject): Promise<T | 'resend'> {
    this.timeline.setError(step.name, 'parked', failure);
    this.timeline.failure = notAgain(failure);
    this.timeline.errorContext = errorContext;
    this.timeline.setState('parked');
    this.handOver('lead.parked');
    this.parked = step;
    await this.timeline.showWait(
      waitFor('decision'),
      condition(() => this.decision !== undefined),
    );
    const decision = this.decision;
    this.parked = undefined;
    this.decision = undefined;
    if (decision?.verb === 'discard') throw await this.ended('discarded', step.name, notAgain(failure));
    this.timeline.failure = undefined;
    this.timeline.errorContext = undefined;
    this.timeline.resume(step.name);
    this.timeline.setState('running');
    const confirmed = decision?.verb === 'confirm' && step.confirmed?.(decision.upstreamId);
    if (!confirmed) return 'resend';
    if (!this.timeline.patientHash) await this.setPatient(decision.upstreamId);
    return confirmed;
  }

  private accept(decision: Decision): State {
    if (this.parked) this.decision = decision;
    else this.requestedEnd = decision.verb === 'discard' ? 'discarded' : 'failed';
    return stateAfter(decision);
  }

  /** Ends the pause before the next try; in a waiting line, lets the next lead go. */
  private tryNow(decision: Decision): State {
    this.isHurried = true;
    this.waitingLine.hurryNext();
    return stateAfter(decision);
  }

  private assertWaiting(): void {
    const { state, waitsFor } = this.timeline.report();
    if (this.requestedEnd || this.decision) throw wrongState('The lead is already decided');
    if (state !== 'waiting') throw wrongState(`The lead does not wait: it is ${state}`);
    if (!waitsFor) throw ApplicationFailure.nonRetryable('The lead is being processed: try again in a moment', busyType);
  }

  private validateDecision(decision: Decision): void {
    const { verb, from } = decision;
    const { state } = this.timeline.report();
    if (from && from !== state) throw wrongState(`The lead is not ${from}: it is ${state}`);
    if (verb === 'replace' || (verb === 'discard' && state === 'waiting')) {
      this.assertWaiting();
      if (verb === 'replace' && sendStep in this.results) throw wrongState(`${leadAlreadySent}. Only its comment waits`);
      return;
    }
    if (this.decision) throw wrongState('The lead is already decided');
    if (!this.parked) throw wrongState(`The lead is not parked: it is ${state}`);
    if (verb !== 'confirm') return;
    if (this.timeline.failure?.code === 'POSSIBLE_REPEAT') throw wrongState('Nothing was sent: resend or discard the lead');
    const { knownId } = this.parked;
    if (knownId !== undefined && patientIdOf(decision.upstreamId) !== knownId) throw wrongId(wrongPatientId);
    if (!this.parked.confirmed?.(decision.upstreamId)) throw wrongId("cannot confirm this step: it is not an id of the step's upstream");
  }
}

const wrongPatientId = 'is not the id that the site system gave this lead: rtResponse.PatientID of its record';
const wrongState = (message: string) => ApplicationFailure.nonRetryable(message, 'WRONG_STATE');
const wrongId = (message: string) => ApplicationFailure.nonRetryable(message, 'VALIDATION_ERROR');

const isRefusal = ({ type }: FailedAttempt) => type === 'REFUSED' || type === 'KEY_REFUSED' || type === 'CONFIG_ERROR';
