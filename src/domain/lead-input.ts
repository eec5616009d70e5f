/** Defines the input of a run: the lead, the settings that it keeps, and the progress of the run that it continues. */
import type { EventOrder } from './events';
import type { Claim } from './locks';
import type { PreparedLead } from './forward';
import type { UpstreamName } from './upstreams';
import type { JsonObject, State, StepReport } from './lead';
import type { BoardRules } from './taskboard';

/** Settings that a run stores, so that a replay does the same after the settings have changed. */
export interface Rules {
  readonly timeZone: string;
  readonly leadTtlMs: number;
  readonly keyTimeoutMs: number;
  readonly timeoutMs: number;
  readonly board: BoardRules;
  /** The upstreams with a limit: requests to them wait in a task queue of their own. Absent if there are none. */
  readonly limited?: readonly UpstreamName[];
}

/** The input of a run. */
export interface LeadInput {
  /** Absent in a lead's first run, whose own address is the id. Empty for a call. */
  readonly leadId?: string;
  readonly body: JsonObject;
  readonly rules: Rules;
  readonly dryRun?: boolean;
  /** Groups B, C and D: what to send, prepared when the lead was accepted. */
  readonly prepared?: PreparedLead;
  /** The lock that the run must take first: of its person, or of the name of a copied project. */
  readonly lock?: string;
  /** With the rule `ask` of REPEATS: the claim by which another lead of the same person and study is found. */
  readonly claim?: Claim;
  /** For a redriven lead: who redrove it, and why. */
  readonly redriven?: { readonly by?: string; readonly reason: string };
  /** Where its events are posted; absent without receivers. */
  readonly events?: EventOrder;
  /** Set on a run that continues one with a long history. */
  readonly continued?: LeadProgress;
}

/** The progress that a lead's run passes on when it continues as new. */
export interface LeadProgress {
  /** When the first run began, in ms. */
  readonly startedAt: number;
  /** The `sentSince` of the execution context; `workflows/execution-context.ts` sets it. */
  readonly sentSince?: number;
  readonly state: State;
  readonly steps: readonly StepReport[];
  /** The result of each step that is done, by its name. */
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly patientHash?: string;
  /** The deadline of the current step. Absent if the run waits for the person lock. */
  readonly giveUpAt?: number;
  /** The number of tries of the current step. */
  readonly tries: number;
  /** The number of events so far. */
  readonly changes: number;
}
