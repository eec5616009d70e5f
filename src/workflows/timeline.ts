/**
 * The progress of one run: its state and the state of each step. It makes the run's report, and keeps a lead's search attributes up to
 * date. `tellCallStack` shows in the Temporal UI where any run stands.
 */
import { RawValue } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes';
import {
  troubleOf,
  untilWords,
  type Failure,
  type JsonObject,
  type LeadReport,
  type LeadTrouble,
  type State,
  type StepReport,
  type Wait,
} from '../domain/lead';

const now = () => new Date(Date.now()).toISOString();

export class Timeline {
  state: State = 'running';
  failure: Failure | undefined;
  errorContext: JsonObject | undefined;
  /** The keyed hash of the patient's id, once it is known: the lead can be found by it. */
  patientHash: string | undefined;
  private wait: Wait | undefined;
  private updatedAt = now();
  /** The trouble that the index knows. */
  private indexed: LeadTrouble | undefined;
  private readonly steps: Map<string, StepReport>;

  constructor(
    private readonly leadId: string,
    private readonly isLead: boolean,
    private readonly flow: string,
    stepNames: readonly string[],
    /** Gets the report of a lead at each change. */
    private readonly onChange: (report: LeadReport) => void,
  ) {
    this.steps = new Map(stepNames.map((name) => [name, { name, state: 'pending', attempts: 0 }]));
    tellCallStack(() => this.words());
  }

  /** Changes the state. A lead's state and trouble are also written to the index; a call's are not. */
  become(state: State): void {
    const { step, steps } = this.report();
    const trouble = troubleOf({ state, steps });
    const isSameTrouble = trouble?.code === this.indexed?.code && trouble?.upstream === this.indexed?.upstream;
    if (state === this.state && isSameTrouble) return;
    this.state = state;
    this.indexed = trouble;
    this.changed();
    if (!this.isLead) return;
    upsertSearchAttributes({
      LeadState: [state],
      LeadUpdatedAt: [new Date(Date.now())],
      ...(step && { LeadStep: [step] }),
      ...(!isSameTrouble && { LeadCode: valueOrNone(trouble?.code), LeadUpstream: valueOrNone(trouble?.upstream) }),
      ...(this.patientHash && { LeadPatientHash: [this.patientHash] }),
    });
  }

  /** Tells what the run waits for, until `waited` is over. */
  async during<T>(wait: Wait, waited: Promise<T>): Promise<T> {
    this.wait = wait;
    this.tell();
    try {
      return await waited;
    } finally {
      this.wait = undefined;
      this.tell();
    }
  }

  begin(name: string): void {
    this.mark(name, { state: 'running', startedAt: now() });
  }

  /** A person has decided to resend or confirm the step. */
  resume(name: string): void {
    this.mark(name, { state: 'running', error: undefined });
  }

  /** Counts a try, or takes back one that did not go out. The step keeps its state. */
  count(name: string, by: 1 | -1 = 1): void {
    this.mark(name, { attempts: (this.steps.get(name)?.attempts ?? 0) + by });
  }

  end(name: string, state: 'done' | 'skipped'): void {
    this.mark(name, { state, endedAt: now(), error: undefined });
  }

  trouble(name: string, state: 'waiting' | 'verifying' | 'parked' | 'failed', { code, message, upstream }: Failure): void {
    // The Temporal UI shows these details with the run.
    setCurrentDetails(`**${state}** at ${name}: ${message}`);
    this.mark(name, { state, error: { code, message, upstream }, ...(state === 'failed' && { endedAt: now() }) });
  }

  report(result?: JsonObject): LeadReport {
    const steps = [...this.steps.values()];
    return {
      leadId: this.leadId,
      flow: this.flow,
      state: this.state,
      step: steps.findLast(({ state }) => state !== 'pending')?.name,
      steps,
      waitsFor: this.wait,
      updatedAt: this.updatedAt,
      result,
      failure: this.failure,
      errorContext: this.errorContext,
    };
  }

  private words(): string {
    const { state, step, waitsFor } = this.report();
    return `${state}${step ? ` at ${step}` : ''}: ${waitsFor ? `${waitsFor.words}${untilWords(waitsFor)}` : 'At work'}`;
  }

  private mark(name: string, change: Partial<StepReport>): void {
    const step = this.steps.get(name);
    if (!step) return;
    this.steps.set(name, { ...step, ...change });
    this.changed();
  }

  private changed(): void {
    this.updatedAt = now();
    this.tell();
  }

  private tell(): void {
    if (this.isLead) this.onChange(this.report());
  }
}

/** An empty list takes the attribute off the run. */
const valueOrNone = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/**
 * Fills "Call stack" in the Temporal UI with words that say where the run stands. They must not hold personal data. The answer is encrypted
 * as every query's answer is.
 */
export const tellCallStack = (words: () => string): void =>
  void getActivator().queryHandlers.set('__stack_trace', { handler: () => new RawValue(words()), description: 'Where the run stands' });
