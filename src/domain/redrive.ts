/** Failed leads driven again: one by a person's order, or many by a run that takes them one after the other. The words of both. */
import type { ErrorCode, JsonObject } from './lead';

export const redriveOutcomes = ['started', 'wrong-state', 'not-found', 'invalid', 'unknown'] as const;
export const redriveStates = ['running', 'stopped', 'done'] as const;
export type RedriveState = (typeof redriveStates)[number];

/** More than this in one run is refused: what the run carries must fit into one payload of the engine. */
export const mostLeads = 10_000;
export const usualRatePerS = 5;
export const mostRatePerS = 50;

/** One failed lead, to be driven again. */
export interface RedriveOrder {
  readonly leadId: string;
  readonly reason: string;
  readonly fields?: JsonObject;
  /** The same order starts a lead once. */
  readonly orderId: string;
  /** The keyed hash of what was ordered, where the caller named the order: under one name there is one order. */
  readonly orderDigest?: string;
  /** The name of the caller's key; absent where callers have none. */
  readonly by?: string;
}

/** What became of an order; `code` and `message` where it started nothing. */
export interface Redriven {
  readonly outcome: (typeof redriveOutcomes)[number];
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** A few leads of a bulk, one after the other with a pause before each. */
export interface RedriveBatch extends Omit<RedriveOrder, 'leadId'> {
  readonly leadIds: readonly string[];
  readonly pauseMs: number;
}

/** What became of the first ones, as far as it came; none, where leads that come in need the room. */
export type RedriveMany = (batch: RedriveBatch) => Promise<Redriven[]>;

/** What a bulk run is started with, and hands on to the run that takes over from it. */
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

/** `results` are in the leads' order, each an index of `kinds`: ten thousand leads must fit into one payload. */
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

/** What the engine shows of a bulk run without asking it. */
export interface RedriveMemo extends Pick<RedriveReport, 'state' | 'count' | 'ratePerS' | 'startedAt'> {
  readonly digest: string;
  readonly done?: number;
  readonly failedToStart?: number;
  readonly endedAt?: string;
}
