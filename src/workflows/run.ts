/**
 * `StepRun` is the base of every run, of a lead or of a call: it takes its lock and its steps, reports its progress, and ends with a
 * report. `CallRun` is the run of a call. After a failed attempt, `pauseAfter` decides whether it is repeated, and when; `failureOf` words
 * what the caller is told.
 */
import { ApplicationFailure, condition, defineQuery, proxySinks, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Claimed, ClaimSinks, PersonHashes } from '../domain/claims';
import { growingPause } from '../domain/growing-pause';
import { waitFor, type overStates, type ErrorCode, type Failure, type JsonObject, type LeadInput, type LeadReport } from '../domain/lead';
import type { BypassHold, UpstreamName } from '../domain/hold';
import { fieldsNamed, type Answered, type AttemptFailure } from '../domain/outcome';
import type { ReportSinks } from '../domain/report-sinks';
import { failedAttempt, repeatable, unlessCancelled, type FailedAttempt } from './proxies';
import { Timeline } from './timeline';

/** The pauses before the first retries. They are short enough that a lead goes out within a minute of its upstream's return. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 45_000] as const;
const retryAfterMostMs = 300_000;
/** The first pauses between tries to take a lock that another run holds. */
const lockPausesMs = [100, 200, 400, 800, 1_500, 3_000, 5_000] as const;
const lockDeadlineMs = 5_000;
const hashDeadlineMs = 1_000;
/** A call has a caller who waits, so it is retried for this long only. */
export const callPatienceMs = 10_000;

const reportQuery = defineQuery<LeadReport>('report');

const { claims, report: reports } = proxySinks<ClaimSinks & ReportSinks>();

/** One try. `tries` counts from 0, and `leftMs` is the time that the run still has. */
export interface Try {
  readonly tries: number;
  readonly leftMs: number;
  readonly bypassHold: BypassHold;
}

export interface Step<T extends JsonObject> {
  readonly name: string;
  readonly upstream?: UpstreamName;
  attempt(attempt: Try): Promise<T>;
  /** A read: an unknown outcome does no harm, so it is tried again. */
  readonly repeatable?: true;
  /** The code if no answer comes in time. Absent in a call that only reads: workflow tools send again on its 504. */
  readonly late?: 'UPSTREAM_ERROR' | 'OUTCOME_UNKNOWN';
  /** A refusal parks the lead, because an earlier step cannot be taken back. */
  readonly refusalParks?: true;
  /** Added to the error message if this step fails: what is true of the lead. */
  readonly meaning?: string;
  /** An earlier step has made something, and repeating the whole request would make it a second time. */
  readonly neverAgain?: true;
  /** The error context of the answer: how far the lead got, and the upstream's own words if it answered. */
  errorContext?(failed: FailedAttempt): JsonObject;
  /** Looks for a request with an unknown outcome, and returns the step's result if it arrived. Absent if the upstream cannot be asked. */
  lookUp?(): Promise<T | undefined>;
  /** The upstream shows at once what arrived. Two look-ups without it, or a refused one, prove that it did not arrive. */
  readonly readBack?: true;
  /** The step's result after a person confirmed it with the upstream's id; undefined if that is not an id. */
  confirmed?(upstreamId: string): T | undefined;
}

/** An erasure finds this run by these hashes and this site, so the run's claims get them, too. */
function ownPerson(): PersonHashes {
  const { LeadEmails, LeadPhones, LeadPatientHash, LeadSite } = workflowInfo().searchAttributes as Record<string, string[] | undefined>;
  return { emails: LeadEmails ?? [], phones: LeadPhones ?? [], patient: LeadPatientHash?.[0], site: LeadSite?.[0] };
}

/** Takes the HTTP status off the result of an activity. */
export function withoutStatus<T extends JsonObject & Answered>(result: T): T {
  const { httpStatus: _, ...bare } = result;
  return bare as T;
}

export type EndState = (typeof overStates)[number];

export abstract class StepRun {
  readonly timeline: Timeline;
  private readonly held: Claimed[];
  private isHurried = false;

  constructor(
    protected readonly lead: LeadInput,
    leadId: string,
    flow: string,
    stepNames: readonly string[],
  ) {
    this.held = lead.claim ? [lead.claim] : [];
    // Decide by the input, not by the workflow id: a replay may run under another id.
    this.timeline = new Timeline(leadId, lead.leadId !== '', flow, stepNames, (report) => reports.progress(report));
    setHandler(reportQuery, () => this.timeline.report());
  }

  /** Takes one step to its end, however long that takes. */
  async take<T extends JsonObject>(step: Step<T>): Promise<T> {
    this.timeline.begin(step.name);
    const result = withoutStatus(await this.carry(step));
    this.timeline.become('running');
    this.timeline.end(step.name, 'done');
    return result;
  }

  /**
   * Takes the run's lock, so that only one lead of a person at a time looks up the e-mail and sends. Waits while another run holds it.
   * True once the run holds the lock or needs none; false if the time was up before.
   */
  async takeLock(giveUpAt = Infinity): Promise<boolean> {
    const { lock } = this.lead;
    if (!lock) return true;
    for (let tries = 0; ; tries++) {
      // If the engine does not answer, the run does not hold the lock.
      const claimed = await repeatable('the person’s lock', lockDeadlineMs, 0).takePersonLock(lock, ownPerson()).catch(unlessCancelled);
      if (claimed) {
        this.held.push(claimed);
        this.timeline.become('running');
        return true;
      }
      if (Date.now() > giveUpAt) return false;
      this.timeline.become('waiting');
      await this.rest('person-lock', growingPause(lockPausesMs, tries));
    }
  }

  /** From now on, the lead is found by the id under which the upstream knows the person. */
  async knowPatient(id: string): Promise<void> {
    this.timeline.patientHash = await repeatable('the hash of the patient id', hashDeadlineMs, 0).hashPatient(id).catch(unlessCancelled);
  }

  /** Ends the run; the engine keeps the report as its result. */
  async end(state: 'delivered' | 'skipped', result: JsonObject): Promise<LeadReport> {
    this.timeline.become(state);
    await this.beforeEnd(state);
    this.giveBack();
    const report = this.timeline.report(result);
    reports.end(report);
    return report;
  }

  /** What a run does between its last step and its end. */
  protected async beforeEnd(_state: EndState): Promise<void> {}

  protected abstract carry<T extends JsonObject>(step: Step<T>): Promise<T>;

  protected async pause(name: string, failure: Failure, pauseMs: number): Promise<void> {
    if (pauseMs === 0) return;
    this.stand(name, failure);
    await this.rest('retry', pauseMs);
  }

  /** Ends the pause that the run is in. */
  protected hurry(): void {
    this.isHurried = true;
  }

  private async rest(what: 'retry' | 'person-lock', pauseMs: number): Promise<void> {
    this.isHurried = false;
    const isOver = condition(() => this.isHurried, pauseMs);
    await this.timeline.during(waitFor(what, Date.now() + pauseMs), isOver);
  }

  protected stand(name: string, failure: Failure): void {
    this.timeline.trouble(name, 'waiting', failure);
    this.timeline.become('waiting');
  }

  protected failed(name: string, failure: Failure, errorContext: JsonObject): Promise<ApplicationFailure> {
    this.timeline.failure = failure;
    this.timeline.errorContext = errorContext;
    return this.ended('failed', name, failure);
  }

  /** Ends the run with a failure that carries the report, so that a closed run can be read without a worker. */
  protected async ended(state: 'failed' | 'discarded', name: string, failure: Failure): Promise<ApplicationFailure> {
    this.timeline.trouble(name, 'failed', failure);
    this.timeline.become(state);
    await this.beforeEnd(state);
    this.giveBack();
    const report = this.timeline.report();
    reports.end(report);
    return ApplicationFailure.create({ type: failure.code, message: failure.message, nonRetryable: true, details: [report] });
  }

  private giveBack(): void {
    if (this.held.length > 0) claims.giveBack(this.held);
  }
}

const outOfTime: FailedAttempt = { type: 'NOT_SENT', message: 'No time was left for this step: those before it took all' };

/** The run of a call, which is nobody's lead. It passes every hold, and fails where a lead would wait or park. */
export class CallRun extends StepRun {
  /** True if the API in the worker's process may answer before the engine has written the result (docs/decisions/0002). */
  tellsAtOnce = true;
  /** Set if all steps together have the patience of one. */
  giveUpAt?: number;

  constructor(lead: LeadInput, flow: string, stepNames: readonly string[]) {
    super(lead, '', flow, stepNames);
  }

  override async end(state: 'delivered' | 'skipped', result: JsonObject): Promise<LeadReport> {
    const report = await super.end(state, result);
    if (this.tellsAtOnce) reports.endAtOnce(report);
    return report;
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
        const failure = failureOf(failed, step, this.lead.body);
        const pauseMs = pauseAfter(failed, step, tries);
        if (pauseMs === undefined || Date.now() + pauseMs >= giveUpAt)
          throw await this.failed(step.name, failure, step.errorContext?.(failed) ?? {});
        await this.pause(step.name, failure, pauseMs);
      }
    }
  }
}

/** The pause before the next try; undefined if there must be none. */
export function pauseAfter<T extends JsonObject>(failed: FailedAttempt, step: Step<T>, tries: number): number | undefined {
  if (failed.type !== 'NOT_SENT' && !(failed.type === 'UNKNOWN' && step.repeatable)) return undefined;
  // A read's first failure is often that of a stale connection, so the second try follows at once.
  if (step.repeatable && tries === 0 && !failed.retryAfterMs) return 0;
  return Math.max(growingPause(pausesMs, tries), Math.min(failed.retryAfterMs ?? 0, retryAfterMostMs));
}

const codes: Readonly<Record<AttemptFailure, ErrorCode>> = {
  NOT_SENT: 'UPSTREAM_ERROR',
  REFUSED: 'UPSTREAM_REJECTED',
  KEY_REFUSED: 'UPSTREAM_ERROR',
  UNKNOWN: 'UPSTREAM_ERROR',
  CONFIG_ERROR: 'CONFIG_ERROR',
};

/**
 * The failure that the caller is told: its code follows the outcome; its message names the upstream, what it did, and what that means for
 * the lead. `sent` has the fields that a refusal may name.
 */
export function failureOf(
  failed: FailedAttempt,
  step: Pick<Step<JsonObject>, 'name' | 'upstream' | 'repeatable' | 'late' | 'meaning' | 'neverAgain'>,
  sent: JsonObject = {},
): Failure {
  const { type, message, retryAfterMs } = failed;
  const unsafe = type === 'UNKNOWN' && !step.repeatable;
  const late = failed.code === 'UPSTREAM_TIMEOUT' ? step.late : undefined;
  const mayBeDone = late === 'OUTCOME_UNKNOWN';
  const unsure = (unsafe && 'it may have been accepted, so it is not sent again by itself') || (mayBeDone && 'the change may be done');
  const said = unsure ? `${message}: ${unsure}` : message;
  return {
    code: unsure ? 'OUTCOME_UNKNOWN' : (late ?? failed.code ?? codeOf(failed)),
    message: [said, step.meaning].filter(Boolean).join('. '),
    step: step.name,
    // A step that renews its access key may fail at the key service.
    upstream: failed.upstream ?? step.upstream,
    retryAfterMs,
    ...(type === 'REFUSED' && refusalOf(failed, sent)),
    ...(step.neverAgain && { retryable: false }),
  };
}

function codeOf({ type, held, limited }: FailedAttempt): ErrorCode {
  if (type !== 'NOT_SENT') return codes[type];
  if (held?.pause) return 'UPSTREAM_PAUSED';
  return limited ? 'RATE_LIMITED' : codes[type];
}

/** The HTTP status of a refusal, and the sent fields that it names. */
function refusalOf({ status, body }: FailedAttempt, sent: JsonObject): Pick<Failure, 'upstreamStatus' | 'details'> {
  const details = fieldsNamed(body, sent).map((field) => ({ field, message: 'the upstream names this field in its refusal' }));
  return { ...(status && { upstreamStatus: status }), ...(details.length > 0 && { details }) };
}
