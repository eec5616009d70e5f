/** Runs the steps of a lead or a call: `StepRun`, the base of both, takes the lock, runs each step, and ends with a report. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineQuery,
  proxySinks,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  waitFor,
  waitForParked,
  type overStates,
  type Failure,
  type JsonObject,
  type LeadReport,
  type State,
  type StepReport,
  type Wait,
} from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import type { Holder, Lock, LockSinks, PersonHashes } from '../domain/locks';
import { withoutFacts, extraTries, type ExchangeFacts } from '../domain/outcome';
import { unlessCancelled } from './failures';
import { growingPause } from './long-waits';
import { quickly } from './proxies';
import type { Step } from './step';
import { Timeline } from './timeline';

/** The first pauses between tries to take a lock that another run holds. */
const lockPausesMs = [100, 200, 400, 800, 1_500, 3_000, 5_000] as const;
const lockDeadlineMs = 5_000;
const hashDeadlineMs = 1_000;
const reportQuery = defineQuery<LeadReport>('report');

const { locks } = proxySinks<LockSinks>();

/** The hashes and the site by which an erasure finds this run. The run's lock gets them, too. */
export function ownHashes(): PersonHashes {
  const { LeadEmails, LeadPhones, LeadPatientHash, LeadSite } = workflowInfo().searchAttributes as Record<string, string[] | undefined>;
  return { emails: LeadEmails ?? [], phones: LeadPhones ?? [], patient: LeadPatientHash?.[0], site: LeadSite?.[0] };
}

/** This run as the holder of a lock or a claim. */
export function ownHolder(): Holder {
  const { workflowId, firstExecutionRunId: runId } = workflowInfo();
  return { workflowId, runId };
}

export type EndState = (typeof overStates)[number];

export const pendingSteps = (names: readonly string[]): StepReport[] => names.map((name) => ({ name, state: 'pending', attempts: 0 }));

export abstract class StepRun {
  readonly timeline: Timeline;
  private heldLock: Lock | undefined;
  protected isHurried = false;

  constructor(
    protected readonly lead: LeadInput,
    leadId: string,
    flow: string,
    steps: readonly StepReport[],
    state?: State,
  ) {
    // Read the input, not the workflow id: a replay may run under another id.
    this.timeline = new Timeline(leadId, lead.leadId !== '', flow, steps, state);
    setHandler(reportQuery, () => this.timeline.report());
  }

  /** Runs one step until it is done, skipped or failed, which may take days. */
  async runStep<T extends JsonObject>(step: Step<T>): Promise<T> {
    this.timeline.begin(step.name);
    const result = await this.completeStep(step);
    this.timeline.count(step.name, extraTries(result));
    this.timeline.setState('running');
    this.timeline.end(step.name, 'done');
    return withoutFacts(result);
  }

  /**
   * Takes the run's lock, so that only one lead of a person at a time looks up the e-mail and sends. Waits while another run holds it.
   * Returns true once the run holds the lock or needs none, false if the time is up.
   */
  async takeLock(giveUpAt = Infinity): Promise<boolean> {
    const { lock } = this.lead;
    if (!lock) return true;
    for (let tries = 0; ; tries++) {
      // If the engine does not answer, assume that the lock was not taken.
      const lockOrHolder = await quickly('the lock', lockDeadlineMs).takeLock(lock, ownHolder(), ownHashes()).catch(unlessCancelled);
      if (lockOrHolder && !('isParked' in lockOrHolder)) {
        this.heldLock = lockOrHolder;
        this.timeline.setState('running');
        return true;
      }
      if (Date.now() > giveUpAt) return false;
      this.timeline.setState('waiting');
      const pauseMs = growingPause(lockPausesMs, tries);
      const nextTryMs = Date.now() + pauseMs;
      await this.pauseFor(lockOrHolder ? waitForParked(nextTryMs) : waitFor('person-lock', nextTryMs), pauseMs);
      await this.afterLockPause();
    }
  }

  /** Makes the lead searchable by the upstream's id of the person. */
  async setPatient(id: string): Promise<void> {
    this.timeline.patientHash = await quickly('the hash of the patient id', hashDeadlineMs).hashPatient(id).catch(unlessCancelled);
  }

  /** Ends the run; the engine keeps the report as its result. */
  async end(state: 'delivered' | 'skipped', result: JsonObject): Promise<LeadReport> {
    this.timeline.setState(state);
    await this.close(state);
    return this.timeline.report(result);
  }

  /** Called before the lock and the first step. A lead that may be a repeat waits here for a person. */
  async askIfRepeat(): Promise<void> {}

  /** Called after each pause before the lock. A lead's run may end or continue as new there. */
  protected async afterLockPause(): Promise<void> {}

  /** Called after the last step, before the run ends. */
  protected async beforeEnd(_state: EndState): Promise<void> {}

  protected abstract completeStep<T extends JsonObject>(step: Step<T>): Promise<T & ExchangeFacts>;

  protected async pause(name: string, failure: Failure, pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    this.showWaiting(name, failure);
    await this.pauseFor(waitFor('retry', Date.now() + pauseMs), pauseMs);
  }

  /** True if a pause ends before its time. */
  protected isWoken(): boolean {
    return this.isHurried;
  }

  private async pauseFor(wait: Wait, pauseMs: number): Promise<void> {
    this.isHurried = false;
    await this.timeline.showWait(
      wait,
      condition(() => this.isWoken(), pauseMs),
    );
  }

  protected showWaiting(name: string, failure: Failure): void {
    this.timeline.setError(name, 'waiting', failure);
    this.timeline.setState('waiting');
  }

  protected failed(name: string, failure: Failure, errorContext: JsonObject): Promise<ApplicationFailure> {
    this.timeline.failure = failure;
    this.timeline.errorContext = errorContext;
    return this.ended('failed', name, failure);
  }

  /** Ends the run with a failure that has the report, so that an ended run can be read without a worker. */
  protected async ended(state: 'failed' | 'discarded', name: string, failure: Failure): Promise<ApplicationFailure> {
    this.timeline.setError(name, 'failed', failure);
    this.timeline.setState(state);
    await this.close(state);
    const report = this.timeline.report();
    return ApplicationFailure.create({ type: failure.code, message: failure.message, nonRetryable: true, details: [report] });
  }

  private async close(state: EndState): Promise<void> {
    await this.beforeEnd(state);
    if (this.heldLock) locks.giveBack(this.heldLock);
    await condition(allHandlersFinished);
  }
}
