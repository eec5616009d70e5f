/** The words that runs, the API and the operators share about a lead. Types and small tables only. */

import type { Claimed } from './claims';
import type { SandboxBinding } from './execution-context';
import type { Prepared } from './forward';
import type { UpstreamName } from './hold';
import type { BoardRules } from './taskboard';

export type JsonObject = { readonly [name: string]: unknown };

export const states = ['running', 'waiting', 'verifying', 'parked', 'delivered', 'skipped', 'failed', 'discarded'] as const;
export type State = (typeof states)[number];

export const overStates = ['delivered', 'skipped', 'failed', 'discarded'] as const satisfies readonly State[];

/** The run has ended: nothing more happens to the lead by itself. */
export const isOver = ({ state }: { readonly state: string }): boolean => overStates.some((over) => over === state);

/** The lead is where it should be. */
export const isDelivered = ({ state }: { readonly state: string }): boolean => state === 'delivered' || state === 'skipped';

/** Why something did not succeed: the literal codes of the error body. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'AMBIGUOUS_USER'
  | 'COPY_IN_PROGRESS'
  | 'WRONG_STATE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPSTREAM_REJECTED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'UPSTREAM_ERROR'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_ACCEPTED'
  | 'CONFIG_ERROR'
  | 'UPSTREAM_TIMEOUT';

export interface Detail {
  readonly field: string;
  readonly message: string;
}

/** What a caller is told about a failure. `message` never holds what the caller sent. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly step?: string;
  readonly details?: readonly Detail[];
  readonly retryAfterMs?: number;
  /** False where sending the same again would make something a second time; else as the code has it. */
  readonly retryable?: false;
}

export interface StepReport {
  readonly name: string;
  readonly state: 'pending' | 'running' | 'waiting' | 'verifying' | 'parked' | 'done' | 'skipped' | 'failed';
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly attempts: number;
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** All that is known of a run at one moment; the result of a closed one, the query of an open one. */
export interface LeadReport {
  readonly leadId: string;
  readonly flow: string;
  readonly state: State;
  readonly step?: string;
  readonly steps: readonly StepReport[];
  /** When anything of this last changed; absent where only the engine could be asked. */
  readonly updatedAt?: string;
  /** The route's success body, when the run got that far. */
  readonly result?: JsonObject;
  readonly failure?: Failure;
  /** What stands beside the error in the answer: the partial record of a flow, the payload of a forwarder. */
  readonly errorContext?: JsonObject;
}

/** Settings that a run must remember, so that replaying it does the same whatever the settings are then. */
export interface Rules {
  readonly timeZone: string;
  readonly leadTtlMs: number;
  readonly keyTimeoutMs: number;
  readonly timeoutMs: number;
  /** The journal in which its sends are noted: then they may go out inside the workflow's own task. Absent where there is none. */
  readonly journal?: string;
  readonly board: BoardRules;
  /** The upstreams before which its requests wait for their turn; absent where there are none. */
  readonly limited?: readonly UpstreamName[];
}

/** What a run is started with. */
export interface LeadInput {
  /** Absent where this run is the lead's first: its own address is the id. Empty for a call, a run that is nobody's lead. */
  readonly leadId?: string;
  readonly body: JsonObject;
  readonly rules: Rules;
  readonly dryRun?: boolean;
  /** Groups B, C and D: what goes out, made when the lead came in. */
  readonly prepared?: Prepared;
  /** The id that the run must hold before it goes on: one lead of a person at a time. Absent where it holds it already, or none is needed. */
  readonly lock?: string;
  /** A claim that was made for the run before it began, to be given back at its end. */
  readonly claim?: Claimed;
  /** Where its requests go; absent in calls. */
  readonly binding?: SandboxBinding;
  /** Who drove the failed lead again, and why. */
  readonly redriven?: { readonly by?: string; readonly reason: string };
}

/** `by`: the name of the key of the person who decided; absent where callers have none. */
export type Decision = { readonly reason: string; readonly by?: string } & (
  { readonly verb: 'resend' | 'discard' } | { readonly verb: 'confirm'; readonly upstreamId: string }
);

/** What a lead is at once when a decision is taken. */
export const stateAfter = ({ verb }: Decision): State => (verb === 'discard' ? 'discarded' : 'running');
