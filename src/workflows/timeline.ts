/** What a run can say about itself: its state, and each step's. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Failure, JsonObject, LeadReport, State, StepReport } from '../domain/lead';

const now = () => new Date(Date.now()).toISOString();

export class Timeline {
  state: State = 'running';
  failure: Failure | undefined;
  errorContext: JsonObject | undefined;
  /** The patient's id as a keyed hash, once it is known: a lead can be found by it. */
  patientHash: string | undefined;
  private updatedAt = now();
  private readonly steps: Map<string, StepReport>;

  constructor(
    private readonly leadId: string,
    private readonly isLead: boolean,
    private readonly flow: string,
    stepNames: readonly string[],
  ) {
    this.steps = new Map(stepNames.map((name) => [name, { name, state: 'pending', attempts: 0 }]));
  }

  /** Each change of a lead's state can be searched for; a call is no lead. */
  become(state: State): void {
    if (state === this.state) return;
    this.state = state;
    this.updatedAt = now();
    if (!this.isLead) return;
    const { step } = this.report();
    upsertSearchAttributes({
      LeadState: [state],
      LeadUpdatedAt: [new Date(Date.now())],
      ...(step && { LeadStep: [step] }),
      ...(this.patientHash && { LeadPatientHash: [this.patientHash] }),
    });
  }

  begin(name: string): void {
    this.mark(name, { state: 'running', startedAt: now() });
  }

  /** A person sent it on its way again. */
  resume(name: string): void {
    this.mark(name, { state: 'running', error: undefined });
  }

  /** One more try, or one less that did not go out; a step that waits goes on waiting until it has succeeded. */
  count(name: string, by: 1 | -1 = 1): void {
    this.mark(name, { attempts: (this.steps.get(name)?.attempts ?? 0) + by });
  }

  end(name: string, state: 'done' | 'skipped'): void {
    this.mark(name, { state, endedAt: now(), error: undefined });
  }

  trouble(name: string, state: 'waiting' | 'verifying' | 'parked' | 'failed', { code, message }: Failure): void {
    // Shown in the Temporal UI beside the run, for whoever asks why it stands still.
    setCurrentDetails(`**${state}** at ${name}: ${message}`);
    this.mark(name, { state, error: { code, message }, ...(state === 'failed' && { endedAt: now() }) });
  }

  report(result?: JsonObject): LeadReport {
    const steps = [...this.steps.values()];
    return {
      leadId: this.leadId,
      flow: this.flow,
      state: this.state,
      step: steps.findLast(({ state }) => state !== 'pending')?.name,
      steps,
      updatedAt: this.updatedAt,
      result,
      failure: this.failure,
      errorContext: this.errorContext,
    };
  }

  private mark(name: string, change: Partial<StepReport>): void {
    const step = this.steps.get(name);
    if (!step) return;
    this.steps.set(name, { ...step, ...change });
    this.updatedAt = now();
  }
}
