/**
 * Types of the search for same-person leads: before a lead takes a subject or comment in an upstream for its own, it asks whether another
 * lead of the person may have made it.
 */

export interface SamePersonLeads {
  /** Still open: these may have been sent already. */
  readonly open: number;
  /** Delivered as this very subject. */
  readonly arrived: number;
  /** These may have written a comment with the same date. */
  readonly commented: number;
  readonly patientHash: string;
}

export interface SamePersonQuery {
  readonly email: string;
  readonly subjectId: number;
  /** Each instance numbers its subjects by itself. */
  readonly instanceName: string;
}

export type CountSamePersonLeads = (runId: string, asking: SamePersonQuery) => Promise<SamePersonLeads>;
