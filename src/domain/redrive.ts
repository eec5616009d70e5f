/** Types and limits of redrives: of one lead by a person's order, or of many by a run that takes them one after the other. */
import type { ErrorCode, JsonObject } from './lead';

export const redriveOutcomes = ['started', 'wrong-state', 'not-found', 'invalid', 'unknown'] as const;
export const redriveStates = ['running', 'stopped', 'done'] as const;
export type RedriveState = (typeof redriveStates)[number];

/** A run refuses more leads than this: what it carries must fit into one payload of the engine. */
export const mostLeads = 10_000;
export const usualRatePerS = 5;
export const mostRatePerS = 50;

/** An order is carried out once, so its repeats carry the same id. */
export interface Order {
  readonly orderId: string;
  /** The digest of the order; absent if the caller gave no Idempotency-Key. */
  readonly orderDigest?: string;
}

/** The order to redrive one failed lead. */
export interface RedriveOrder extends Order {
  readonly leadId: string;
  readonly reason: string;
  readonly fields?: JsonObject;
  /** The name of the caller's key; absent if callers have none. */
  readonly by?: string;
}

/** The result of an order; `code` and `message` tell why it started nothing. */
export interface Redriven {
  readonly outcome: (typeof redriveOutcomes)[number];
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** A few leads of a bulk redrive, taken one after the other with a pause before each. */
export interface RedriveBatch extends Omit<RedriveOrder, 'leadId'> {
  readonly leadIds: readonly string[];
  readonly pauseMs: number;
}

/** The results of the leads that were tried. Empty if new leads need the room. */
export type RedriveMany = (batch: RedriveBatch) => Promise<Redriven[]>;

/** The input of a bulk run, also for the run that takes over from it. */
export interface RedriveInput {
  readonly redriveId: string;
  readonly leadIds: readonly string[];
  readonly reason: string;
  readonly fields?: JsonObject;
  readonly by?: string;
  readonly ratePerS: number;
  readonly startedAt: string;
  readonly kinds?: readonly Redriven[];
  readonly results?: readonly number[];
}

/** `results` are in the order of the leads. Each is an index into `kinds`, so that ten thousand leads fit into one payload. */
export interface RedriveReport {
  readonly state: RedriveState;
  readonly count: number;
  readonly done: number;
  readonly failedToStart: number;
  readonly ratePerS: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly kinds: readonly Redriven[];
  readonly results: readonly (readonly [leadId: string, kind: number])[];
}

/** The run's memo: what the engine's list shows without asking the run. */
export interface RedriveMemo extends Pick<RedriveReport, 'state' | 'count' | 'ratePerS' | 'startedAt'> {
  readonly digest: string;
  readonly done?: number;
  readonly failedToStart?: number;
  readonly endedAt?: string;
}
