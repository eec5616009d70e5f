/**
 * Records the progress of one run: its state and the state of each step. It makes the run's report, updates a lead's search attributes,
 * and shows the progress in the Temporal UI.
 */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
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
  failure: Failure | undefined;
  errorContext: JsonObject | undefined;
  /** The keyed hash of the patient's id, once it is known. It makes the lead searchable. */
  patientHash: string | undefined;
  private wait: Wait | undefined;
  private updatedAt = now();
  /** How often the state has changed. */
  changes = 0;
  /** The trouble that the index has. */
  private indexedTrouble: LeadTrouble | undefined;
  private readonly steps: Map<string, StepReport>;

  constructor(
    private readonly leadId: string,
    private readonly isLead: boolean,
    private readonly flow: string,
    steps: readonly StepReport[],
    public state: State = 'running',
  ) {
    this.steps = new Map(steps.map((step) => [step.name, step]));
    this.indexedTrouble = troubleOf({ state, steps });
  }

  /** Changes the state. A lead's state and trouble are also written to the index; a call's are not. */
  setState(state: State): void {
    const { step, steps } = this.report();
    const trouble = troubleOf({ state, steps });
    const isSameTrouble = trouble?.code === this.indexedTrouble?.code && trouble?.upstream === this.indexedTrouble?.upstream;
    if (state === this.state && isSameTrouble) return;
    this.state = state;
    this.changes++;
    this.indexedTrouble = trouble;
    this.updatedAt = now();
    if (!this.isLead) return;
    upsertSearchAttributes({
      LeadState: [state],
      LeadUpdatedAt: [new Date(Date.now())],
      ...(step && { LeadStep: [step] }),
      ...(!isSameTrouble && { LeadCode: valueOrNone(trouble?.code), LeadUpstream: valueOrNone(trouble?.upstream) }),
      ...(this.patientHash && { LeadPatientHash: [this.patientHash] }),
    });
  }

  /** Reports `wait` until `waited` resolves. */
  async showWait<T>(wait: Wait, waited: Promise<T>): Promise<T> {
    this.wait = wait;
    const { state, step } = this.report();
    setCurrentDetails(`**${state}**${step ? ` at ${step}` : ''}: ${wait.words}${untilWords(wait)}`);
    try {
      return await waited;
    } finally {
      this.wait = undefined;
    }
  }

  begin(name: string): void {
    this.update(name, { state: 'running', startedAt: this.steps.get(name)?.startedAt ?? now() });
  }

  /** A person has decided to resend or confirm the step. */
  resume(name: string): void {
    this.update(name, { state: 'running', error: undefined });
  }

  /** Counts tries; a negative number takes back tries that made no request. The step keeps its state. */
  count(name: string, by = 1): void {
    if (by !== 0) this.update(name, { attempts: (this.steps.get(name)?.attempts ?? 0) + by });
  }

  end(name: string, state: 'done' | 'skipped'): void {
    this.update(name, { state, endedAt: now(), error: undefined });
  }

  isDone(name: string): boolean {
    const state = this.steps.get(name)?.state;
    return state === 'done' || state === 'skipped';
  }

  setError(name: string, state: 'waiting' | 'verifying' | 'parked' | 'failed', { code, message, upstream }: Failure): void {
    setCurrentDetails(`**${state}** at ${name}: ${message}`);
    this.update(name, { state, error: { code, message, upstream }, ...(state === 'failed' && { endedAt: now() }) });
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

  private update(name: string, change: Partial<StepReport>): void {
    const step = this.steps.get(name);
    if (!step) return;
    this.steps.set(name, { ...step, ...change });
    this.updatedAt = now();
  }
}

/** An empty list removes the attribute from the run. */
const valueOrNone = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
