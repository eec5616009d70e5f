/**
 * Types of the search for same-person leads: before a lead takes a subject or comment in an upstream for its own, it asks whether another
 * lead of the person may have made it.
 */

export interface SamePersonLeads {
  /** Still open: these may have been sent already. */
  readonly open: number;
  /** Delivered as this very subject, since `since` if that is given. */
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
  /**
   * When the run began, if it looked up by itself who was there before its send: a lead that had ended by then added nobody after that
   * look-up.
   */
  readonly since?: string;
}

export type CountSamePersonLeads = (runId: string, asking: SamePersonQuery) => Promise<SamePersonLeads>;
