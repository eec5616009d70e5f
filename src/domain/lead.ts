/** The words that runs, the API and the operators share about a lead. Types and small tables only. */

import type { Bound } from './bound';
import type { Prepared } from './forward';
import type { UpstreamName } from './hold';
import type { BoardRules } from './taskboard';

export type JsonObject = { readonly [name: string]: unknown };

export const states = ['running', 'waiting', 'verifying', 'parked', 'delivered', 'skipped', 'failed', 'discarded'] as const;
export type State = (typeof states)[number];

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
  readonly beside?: JsonObject;
}

/** Settings that a run must remember, so that replaying it does the same whatever the settings are then. */
export interface Rules {
  readonly timeZone: string;
  readonly leadTtlMs: number;
  readonly keyTimeoutMs: number;
  readonly timeoutMs: number;
  /** Sends may be tried inside the workflow's own task; absent in runs from before that. */
  readonly quick?: boolean;
  /** The journal in which they are noted: then all of them may be; absent where there is none. */
  readonly journal?: string;
  readonly board: BoardRules;
  /** The upstreams before which its requests wait for their turn; absent where there are none. */
  readonly limited?: readonly UpstreamName[];
}

/** What a run is started with. */
export interface LeadInput {
  /** Empty for a call: a run that is nobody's lead. */
  readonly leadId: string;
  readonly body: JsonObject;
  readonly rules: Rules;
  readonly dryRun?: boolean;
  /** Groups B, C and D: what goes out, made when the lead came in. */
  readonly prepared?: Prepared;
  /** The id that only one open run of this person may hold; absent where it does not matter or is this run's own id. */
  readonly turn?: string;
  /** Where its requests go; absent in runs from before, and in calls. */
  readonly bound?: Bound;
  /** Who drove the failed lead again, and why. */
  readonly redriven?: { readonly by: string; readonly reason: string };
}

export type Decision =
  | { readonly verb: 'resend'; readonly reason: string }
  | { readonly verb: 'confirm'; readonly reason: string; readonly upstreamId: string }
  | { readonly verb: 'discard'; readonly reason: string };

/** What a lead is at once when a decision is taken. */
export const stateAfter = ({ verb }: Decision): State => (verb === 'discard' ? 'discarded' : 'running');
