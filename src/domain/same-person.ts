/**
 * Defines the search for other leads of the same person. Before a lead claims a subject or comment that it finds in an upstream, it checks
 * whether another lead of the person may have made it.
 */

export interface SamePersonLeads {
  /** Open leads, which may have been sent already. */
  readonly open: number;
  /** Leads delivered as this subject, since `since` if that is given. */
  readonly arrived: number;
  /** Leads that may have written a comment with the same date. */
  readonly commented: number;
  readonly patientHash: string;
}

export interface SamePersonQuery {
  readonly email: string;
  readonly subjectId: number;
  /** Subject ids are unique within an instance only. */
  readonly instanceName: string;
  /**
   * When the run began, if the run itself looked up the subjects before its send: a lead that had ended by then cannot have added a
   * subject since.
   */
  readonly since?: string;
}

export type CountSamePersonLeads = (runId: string, asking: SamePersonQuery) => Promise<SamePersonLeads>;
