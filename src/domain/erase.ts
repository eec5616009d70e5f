/** A person who is forgotten. Types, and how what was erased adds up. */
import type { Address } from './ids';

/** By keyed hashes alone. */
export interface Hashes {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patients: readonly string[];
  /** Only what went to this site. */
  readonly site?: string;
}

export interface EraseOrder extends Hashes {
  readonly receiptId: string;
  /** Runs of the person that the search index may not list yet. */
  readonly known: readonly Address[];
}

/** One look, by the index and by what is known beside it. */
export interface EraseLook extends EraseOrder {
  /** What began after this moment is a new lead, and stays. */
  readonly until: string;
  /** The leads that were erased: whatever else runs for them goes, too. */
  readonly leadIds: readonly string[];
  readonly onTheWire: readonly OnTheWire[];
}

/** A run that was ended while a request of it was on the wire. */
export interface OnTheWire extends Address {
  /** By then the request has ended, whatever became of it. */
  readonly until: string;
  /** The journal tells when it has ended. */
  readonly isNoted: boolean;
}

/** How many leads of a flow, in a state, at a site: what may be known of erased leads. */
export interface Tally {
  readonly flow: string;
  readonly state: string;
  readonly site?: string;
  readonly leads: number;
}

/** What one look ended and deleted, or all of them did. */
export interface Erased {
  readonly runs: number;
  readonly leadIds: readonly string[];
  readonly counts: readonly Tally[];
  /** The leads of which a request was on the wire. */
  readonly underWay: readonly string[];
}

export interface Looked extends Erased {
  /** Still on the wire. */
  readonly onTheWire: readonly OnTheWire[];
  /** Nothing was left, and the index lists all that began until then. */
  readonly isComplete: boolean;
}

export interface Receipt extends Erased {
  readonly receiptId: string;
  readonly erasedAt: string;
}

export const nothingErased: Erased = { runs: 0, leadIds: [], counts: [], underWay: [] };

/** A lead of which several runs are erased is counted once. */
export const together = (one: Erased, other: Erased): Erased => ({
  runs: one.runs + other.runs,
  leadIds: [...new Set([...one.leadIds, ...other.leadIds])],
  counts: tallied([...one.counts, ...other.counts]),
  underWay: [...new Set([...one.underWay, ...other.underWay])],
});

/** Equal rows become one. */
export function tallied(rows: readonly Tally[]): Tally[] {
  const sums = new Map<string, Tally>();
  for (const row of rows) {
    const name = JSON.stringify([row.flow, row.state, row.site]);
    sums.set(name, { ...row, leads: row.leads + (sums.get(name)?.leads ?? 0) });
  }
  return [...sums.values()];
}

/** The part of an erasure's receipt that the audit trail keeps. */
export const receiptFacts = ({ receiptId, runs, leadIds, counts, underWay }: Receipt) => {
  return { receiptId, leads: leadIds.length, runs, counts, leadIds, underWay };
};
