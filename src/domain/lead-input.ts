/** The input of a run: the lead, the settings that it keeps, and how far the run before it got. Types only. */
import type { EventOrder } from './events';
import type { Prepared } from './forward';
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
  /** Groups B, C and D: what to send, prepared when the lead came in. */
  readonly prepared?: Prepared;
  /** The lock that the run must take first: of its person, or of the name of a copied project. */
  readonly lock?: string;
  /** For a redriven lead: who redrove it, and why. */
  readonly redriven?: { readonly by?: string; readonly reason: string };
  /** Where its events go; absent if nobody hears them. */
  readonly events?: EventOrder;
  /** Set if the run goes on where one with a long history has left off. */
  readonly continued?: Continued;
}

/** The progress that a lead's run hands on to the next one before its history grows too long. */
export interface Continued {
  /** When the first run began, in ms. */
  readonly startedAt: number;
  /** The execution context's `sentSince`; `workflows/execution-context.ts` fills it in. */
  readonly sentSince?: number;
  readonly state: State;
  readonly steps: readonly StepReport[];
  /** The result of each step that is done, by its name. */
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly patientHash?: string;
  /** The step under way: when it gives up, and how often it was tried. Without a step the run waits for its person's lock. */
  readonly giveUpAt?: number;
  readonly tries: number;
  /** How many events were told so far. */
  readonly changes: number;
}
