/** Defines the states, error codes, waits, reports and decisions of a lead. */

import { pausedWords, type Pause } from './pauses';
import { nameOf, type Destination, type UpstreamName } from './upstreams';

export type JsonObject = { readonly [name: string]: unknown };

export const states = ['running', 'waiting', 'verifying', 'parked', 'delivered', 'skipped', 'failed', 'discarded'] as const;
export type State = (typeof states)[number];

export const overStates = ['delivered', 'skipped', 'failed', 'discarded'] as const satisfies readonly State[];

/** In these states a lead has an error code, and usually an upstream. */
export const troubleStates = ['waiting', 'verifying', 'parked', 'failed'] as const satisfies readonly State[];

/** The run has ended. */
export const isOver = ({ state }: { readonly state: string }): boolean => overStates.some((over) => over === state);

export const openStates: readonly State[] = states.filter((state) => !isOver({ state }));

/** The lead was delivered, or there was nothing to send. */
export const deliveredStates = ['delivered', 'skipped'] as const satisfies readonly State[];
export const isDelivered = ({ state }: { readonly state: string }): boolean => deliveredStates.some((delivered) => delivered === state);

/** The lead does not change until a person acts. */
export const settledStates = [...overStates, 'parked'] as const satisfies readonly State[];
export const isSettled = ({ state }: { readonly state: string }): boolean => settledStates.some((settled) => settled === state);

/** The flows of the site system, group E. */
export const siteSystemFlows = ['with-prescreen', 'no-prescreen'] as const;
/** The flows of groups B, C and D. */
export const forwardFlows = ['recruit', 'leadforms', 'leadforms-sandbox', 'screening'] as const;
export const flows = [...siteSystemFlows, ...forwardFlows] as const;

/** The codes of the error body. */
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
  | 'UPSTREAM_PAUSED'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_ACCEPTED'
  | 'CONFIG_ERROR'
  | 'UPSTREAM_TIMEOUT'
  | 'POSSIBLE_REPEAT'
  | 'RUN_ENDED';

/** The codes that a lead can wait, park or fail with. */
export const leadCodes = [
  'UPSTREAM_REJECTED',
  'UPSTREAM_ERROR',
  'UPSTREAM_PAUSED',
  'OUTCOME_UNKNOWN',
  'RATE_LIMITED',
  'UNAUTHORIZED',
  'CONFIG_ERROR',
  'POSSIBLE_REPEAT',
  'RUN_ENDED',
] as const satisfies readonly ErrorCode[];

export interface Detail {
  readonly field: string;
  readonly message: string;
}

/** A failure as the caller gets it. `message` never repeats what the caller sent. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly step?: string;
  readonly upstream?: UpstreamName;
  /** In a refusal: the fields that the upstream names. */
  readonly details?: readonly Detail[];
  /** In a refusal: the HTTP status of the upstream's answer. */
  readonly upstreamStatus?: number;
  readonly retryAfterMs?: number;
  /** False if the caller must not send the request again; otherwise the code decides. */
  readonly retryable?: false;
}

/** Why a lead waits or failed: the error code, and the upstream of the step if it has one. */
export type LeadTrouble = Pick<Failure, 'code' | 'upstream'>;

/** The codes on which tools send a request again by themselves. */
const invitingCodes: readonly ErrorCode[] = ['RATE_LIMITED', 'CONFIG_ERROR', 'UPSTREAM_TIMEOUT'];

/** The same failure of a request that its caller must not send again: a person decides about it, or a part of it has been done. */
export const notAgain = (failure: Failure): Failure => ({
  ...failure,
  ...(invitingCodes.includes(failure.code) && { code: 'UPSTREAM_ERROR' }),
  retryable: false,
});

export const waitKinds = ['retry', 'hold', 'pause', 'person-lock', 'look-up', 'decision'] as const;
type WaitKind = (typeof waitKinds)[number];

/** The wait of an open run. Its report, the API and the Temporal UI use the same words. */
export interface Wait {
  readonly what: WaitKind;
  readonly words: string;
  readonly nextTryAt?: string;
  /** Of a hold or a pause: the upstream, and its instance if it has any. */
  readonly upstream?: UpstreamName;
  readonly instance?: string;
}

const waitWords: Readonly<Record<Exclude<WaitKind, 'hold' | 'pause'>, string>> = {
  retry: 'Waits for its next try',
  'person-lock': 'Waits for another lead of the same person',
  'look-up': 'Waits for its next look-up in the upstream',
  decision: "Waits for a person's decision",
};

export const waitFor = (what: keyof typeof waitWords, nextTryMs?: number): Wait => ({
  what,
  words: waitWords[what],
  ...(nextTryMs !== undefined && { nextTryAt: new Date(nextTryMs).toISOString() }),
});

/** The wait for another lead of the same person that is parked. */
export const waitForParked = (nextTryMs: number): Wait => ({
  ...waitFor('person-lock', nextTryMs),
  words: `${waitWords['person-lock']}, which is parked: a person must decide about that one first`,
});

const placeOf = ({ upstream, instance }: Destination) => ({ upstream, ...(instance && { instance }) });

/** The wait in a waiting line. */
export const waitAt = (held: Destination & { readonly pause?: Pause }): Wait =>
  held.pause ? waitAtPause(held.pause) : { what: 'hold', words: `Queued: ${nameOf(held)} is on hold`, ...placeOf(held) };

export const waitAtPause = (pause: Pause): Wait => ({
  what: 'pause',
  words: `Waits: ${nameOf(pause)} ${pausedWords(pause)}`,
  ...placeOf(pause),
});

/** The wait in the line of an upstream that was resumed. */
export const waitAfterPause = (destination: Destination): Wait => ({
  what: 'hold',
  words: `Waits for its turn: ${nameOf(destination)} accepts leads again`,
  ...placeOf(destination),
});

/** The time of the next try for the end of a sentence; empty if it is not known. */
export const untilWords = ({ nextTryAt }: Pick<Wait, 'nextTryAt'>): string => (nextTryAt ? `, until ${nextTryAt}` : '');

export interface StepReport {
  readonly name: string;
  readonly state: 'pending' | 'running' | 'waiting' | 'verifying' | 'parked' | 'done' | 'skipped' | 'failed';
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly attempts: number;
  readonly error?: Pick<Failure, 'code' | 'message' | 'upstream'>;
}

/** The report of a run: the result of an ended one, the answer to a query of an open one. */
export interface LeadReport {
  readonly leadId: string;
  readonly flow: string;
  readonly state: State;
  readonly step?: string;
  readonly steps: readonly StepReport[];
  /** The wait of an open run; absent while the run does not wait. */
  readonly waitsFor?: Wait;
  /** The time of the last change; absent if the run could not be queried. */
  readonly updatedAt?: string;
  /** The success body; absent if the run was not successful. */
  readonly result?: JsonObject;
  readonly failure?: Failure;
  /** Added to the error's answer: the partial record of a flow, or the payload of a forwarder. */
  readonly errorContext?: JsonObject;
}

/** The last error of a lead that waits or failed. Undefined for other leads, and for one that waits for the person lock. */
export const troubleOf = ({ state, steps }: Pick<LeadReport, 'state' | 'steps'>): LeadTrouble | undefined =>
  troubleStates.some((trouble) => trouble === state) ? steps.findLast(({ error }) => error)?.error : undefined;

/**
 * A person's decision about a parked or a waiting lead. `replace` ends a waiting one in favour of its next attempt. `by` is the name of the
 * person's API key; absent if callers need none. `from`: refuse the decision if the lead is in another state by now.
 */
export type Decision = { readonly reason: string; readonly by?: string; readonly from?: State } & (
  { readonly verb: 'resend' | 'discard' | 'try' | 'replace' } | { readonly verb: 'confirm'; readonly upstreamId: string }
);

/** The failure of a decision about a waiting lead whose next try is in progress. */
export const busyType = 'BUSY';

/** The lead's state right after a decision. */
const statesAfter = { resend: 'running', confirm: 'running', discard: 'discarded', try: 'waiting', replace: 'failed' } as const;
export const stateAfter = ({ verb }: Decision): State => statesAfter[verb];

/** The update for a decision. `try` has its own, because it proves nothing about earlier sends. */
export const updateOf = ({ verb }: Pick<Decision, 'verb'>): 'decide' | 'try' => (verb === 'try' ? 'try' : 'decide');
