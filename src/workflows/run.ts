/** What every run has, a lead's and a call's: it takes steps, says how far it is, and ends with a report. */
import { ApplicationFailure, proxySinks, setHandler, sleep } from '@temporalio/workflow';
import type { Claimed, ClaimSinks } from '../domain/claims';
import type { Failure, JsonObject, LeadInput, LeadReport } from '../domain/lead';
import type { FailedAttempt } from './attempt';
import { reportQuery } from './messages';
import { Timeline } from './timeline';

/** The last one repeats. Short enough that a lead goes out within a minute of its upstream's return. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 45_000] as const;
const longestPauseMs = 45_000;
const retryAfterMostMs = 300_000;

const { claims } = proxySinks<ClaimSinks>();

/** One try: `tries` counts from 0, `leftMs` is what the run's patience still grants, `bypassHold` that no hold stops it. */
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

export abstract class StepRun {
  readonly timeline: Timeline;
  private readonly held: Claimed[];

  constructor(
    protected readonly lead: LeadInput,
    leadId: string,
    flow: string,
    stepNames: readonly string[],
  ) {
    this.held = lead.claim ? [lead.claim] : [];
    // By the input and not by the id: a stored run is replayed under whatever id.
    this.timeline = new Timeline(leadId, lead.leadId !== '', flow, stepNames);
    setHandler(reportQuery, () => this.timeline.report());
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
    this.giveBack();
    return this.timeline.report(result);
  }

  protected abstract carry<T extends JsonObject>(step: Step<T>): Promise<T>;

  protected async pause(name: string, failure: Failure, pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    this.stand(name, failure);
    await sleep(pauseMs);
  }

  protected stand(name: string, failure: Failure): void {
    this.timeline.trouble(name, 'waiting', failure);
    this.timeline.become('waiting');
  }

  protected failed(name: string, failure: Failure, errorContext: JsonObject): ApplicationFailure {
    this.timeline.failure = failure;
    this.timeline.errorContext = errorContext;
    return this.ended('failed', name, failure);
  }

  /** The engine keeps the report as the failure's details, so that a closed run can be read without its worker. */
  protected ended(state: 'failed' | 'discarded', name: string, failure: Failure): ApplicationFailure {
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

  private giveBack(): void {
    if (this.held.length > 0) claims.giveBack(this.held);
  }
}

/** How long to wait before the next try; undefined where there must be none. */
export function pauseAfter<T extends JsonObject>(failed: FailedAttempt, step: Step<T>, tries: number): number | undefined {
  if (failed.type !== 'NOT_SENT' && !(failed.type === 'UNKNOWN' && step.repeatable)) return undefined;
  // A read's first try is a quick one: the second follows at once, as an activity with all the time it needs.
  if (step.repeatable && tries === 0 && !failed.retryAfterMs) return 0;
  return Math.max(pausesMs[tries] ?? longestPauseMs, Math.min(failed.retryAfterMs ?? 0, retryAfterMostMs));
}
