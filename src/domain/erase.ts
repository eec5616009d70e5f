/** Defines the types of an erasure, and sums up what it has erased. */
import type { Address } from './ids';
import type { Requester } from './requester';

export const erasureWorkflow = 'erasePerson';

/** The person to erase, as keyed hashes only. */
export interface ErasedPerson {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patients: readonly string[];
  /** If set, only leads for the site that is stored in one of these forms. */
  readonly sites?: readonly string[];
}

export interface EraseOrder extends ErasedPerson {
  readonly receiptId: string;
  /** The caller who asked for it first. */
  readonly requester?: Requester;
  /** Runs of the person that the index may not list yet. */
  readonly known: readonly Address[];
  /** The receipt of the previous erasure. If no run was added since, this erasure returns it again. */
  readonly previous?: Receipt;
}

/** One search for the remaining runs: in the index, and among the known runs. */
export interface EraseSearch extends EraseOrder {
  /** Leads that began after this time are kept. */
  readonly until: string;
  /** The leads erased so far: the other runs that belong to them are erased, too. */
  readonly leadIds: readonly string[];
}

/** The number of erased leads of one flow, state and site. Nothing else may be kept of them. */
export interface ErasedCount {
  readonly flow: string;
  readonly state: string;
  readonly site?: string;
  readonly leads: number;
}

/** A run that has ended and is still to be deleted. */
export interface EndedRun extends Address {
  readonly endedAt: string;
}

/** The runs and leads that were found and have ended. */
export interface ErasureProgress {
  readonly runs: number;
  readonly leadIds: readonly string[];
  readonly counts: readonly ErasedCount[];
  /** Leads that had a request on the wire when they were cancelled. The erasure waited for its end. */
  readonly underWay: readonly string[];
}

export interface EraseSearchResult extends ErasureProgress {
  /** The runs that this search found ended, to be deleted. */
  readonly ended: readonly EndedRun[];
  /** True if no run of the person is left, and the index lists every run that began until then. */
  readonly isComplete: boolean;
}

/** The receipt of an erasure. It is kept, so it has no id that was made from the person's data. */
export interface Receipt {
  readonly receiptId: string;
  readonly erasedAt: string;
  readonly leads: number;
  readonly runs: number;
  readonly counts: readonly ErasedCount[];
  /** How many leads had a request on the wire when they were cancelled. */
  readonly onTheWire: number;
}

export const nothingErased: ErasureProgress = { runs: 0, leadIds: [], counts: [], underWay: [] };

/** Adds two results up. A lead with several erased runs appears once in `leadIds`. */
export const addProgress = (one: ErasureProgress, other: ErasureProgress): ErasureProgress => ({
  runs: one.runs + other.runs,
  leadIds: [...new Set([...one.leadIds, ...other.leadIds])],
  counts: sumCounts([...one.counts, ...other.counts]),
  underWay: [...new Set([...one.underWay, ...other.underWay])],
});

/** Sums the rows of the same flow, state and site. */
export function sumCounts(rows: readonly ErasedCount[]): ErasedCount[] {
  const sums = new Map<string, ErasedCount>();
  for (const row of rows) {
    const name = JSON.stringify([row.flow, row.state, row.site]);
    sums.set(name, { ...row, leads: row.leads + (sums.get(name)?.leads ?? 0) });
  }
  return [...sums.values()];
}

export const totalsOf = ({ runs, leadIds, counts, underWay }: ErasureProgress) => {
  return { leads: leadIds.length, runs, counts, onTheWire: underWay.length };
};

/** The part of the receipt that the audit trail keeps. */
export const receiptFacts = ({ receiptId, leads, runs, counts, onTheWire }: Receipt) => {
  return { receiptId, leads, runs, counts, onTheWire };
};
