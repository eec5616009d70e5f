/** Defines the types and limits of a bulk order: one redrive, decision or resend of events for many leads, which a run carries out lead by lead. */
import type { DeliveryFilter } from './events';
import type { Decision, ErrorCode, JsonObject, State } from './lead';
import type { Order } from './redrive';

/** `apply` carries out what a reconciliation has proposed: it confirms or resends each lead. */
export const bulkVerbs = ['redrive', 'resend', 'discard', 'apply', 'resend-events'] as const;
export type BulkVerb = (typeof bulkVerbs)[number];

/** Outcomes of leads for which the order was not carried out. */
export const bulkRefusals = ['wrong-state', 'not-found', 'invalid', 'unknown'] as const;

/** A redriven lead is `started`; a parked lead is `decided`; the events of a lead are `resent`. */
export type BulkOutcome = (typeof bulkRefusals)[number] | 'started' | 'decided' | 'resent';

export const bulkStates = ['running', 'stopped', 'done'] as const;
export type BulkState = (typeof bulkStates)[number];

/** The most leads of an order: its results must fit into one payload of the engine. */
export const mostLeads = 10_000;
/** The most leads that an order can name one by one. */
export const mostNamed = 1_000;
export const usualRatePerS = 5;
export const mostRatePerS = 50;

export interface BulkOrder extends Order {
  readonly verb: BulkVerb;
  readonly reason: string;
  /** The state in which the leads were counted. */
  readonly from?: State;
  /** The mended fields of a redrive. */
  readonly fields?: JsonObject;
  /** Of a redrive, see `RedriveOrder`. */
  readonly notThere?: boolean;
  /** Of `apply`, by lead. */
  readonly proposals?: Readonly<Record<string, ProposedDecision>>;
  /** The deliveries that a resend of events selects. */
  readonly deliveries?: DeliveryFilter;
  /** The name of the caller's key; absent if callers have none. */
  readonly by?: string;
  /** The IP address of the caller. */
  readonly address?: string;
}

/** A finding about a parked lead. The lead is confirmed with `upstreamId`, or resent without one. */
export interface ProposedDecision {
  readonly upstreamId?: string;
  readonly proof: string;
}

/** The result for one lead; `code` and `message` say why the order was not carried out. */
export interface BulkResult {
  readonly outcome: BulkOutcome;
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** A few leads of a bulk order, carried out one after the other with a pause before each. */
export interface BulkBatch extends BulkOrder {
  readonly leadIds: readonly string[];
  readonly pauseMs: number;
  /** When the order was given. */
  readonly startedAt: string;
}

/** Returns the results of the leads that were tried; empty if new leads need the capacity, or the audit trail cannot be written. */
export type CarryBatch = (batch: BulkBatch) => Promise<BulkResult[]>;

/** The input of a bulk run. One that continues another also gets the results so far. */
export interface BulkInput extends BulkOrder {
  readonly leadIds: readonly string[];
  readonly ratePerS: number;
  readonly startedAt: string;
  readonly kinds?: readonly BulkResult[];
  readonly results?: readonly number[];
}

/** `results` are in the order of the leads. Each is an index into `kinds`, so that ten thousand leads fit into one payload. */
export interface BulkReport {
  readonly state: BulkState;
  readonly count: number;
  readonly done: number;
  readonly refused: number;
  readonly ratePerS: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly kinds: readonly BulkResult[];
  readonly results: readonly (readonly [leadId: string, kind: number])[];
}

/** Which results to return; with `outcome`, only those of that outcome. */
export interface BulkPage {
  readonly from: number;
  readonly upTo: number;
  readonly outcome?: string;
}

/** A report with one page of its results. */
export interface BulkPart extends BulkReport {
  /** How many leads have each of the `kinds`. */
  readonly counts: readonly number[];
  /** The number of results with the requested outcome. */
  readonly found: number;
}

/** The run's memo, which the engine returns in lists without a query to the run. */
export interface BulkMemo extends Pick<BulkReport, 'state' | 'count' | 'ratePerS' | 'startedAt'> {
  readonly verb: BulkVerb;
  readonly digest: string;
  readonly reason: string;
  /** The name of the caller's key; absent if callers have none. */
  readonly by?: string;
  readonly done?: number;
  readonly refused?: number;
  readonly endedAt?: string;
}

export const isRefusal = ({ outcome }: BulkResult): boolean => bulkRefusals.some((refusal) => refusal === outcome);

export function pageOfReport(report: BulkReport, { from, upTo, outcome }: BulkPage): BulkPart {
  const { kinds, results } = report;
  const counts = kinds.map(() => 0);
  for (const [, kind] of results) counts[kind] = (counts[kind] ?? 0) + 1;
  const found = outcome === undefined ? results : results.filter(([, kind]) => kinds[kind]?.outcome === outcome);
  return { ...report, counts, found: found.length, results: found.slice(from, upTo) };
}

/** Returns the decision of an order about one lead. A proposal becomes a decision whose reason has the proof. */
export function decisionOf({ verb, reason, by, from, proposals }: BulkOrder, leadId: string): Decision {
  const given = { reason, ...(by && { by }), ...(from && { from }) };
  if (verb !== 'apply') return { ...given, verb: verb === 'discard' ? 'discard' : 'resend' };
  const { upstreamId, proof } = proposals?.[leadId] ?? { proof: '' };
  const proven = { ...given, reason: `${reason} (${proof})` };
  return upstreamId === undefined ? { ...proven, verb: 'resend' } : { ...proven, verb: 'confirm', upstreamId };
}
