/** What is known of a person's other leads: what an upstream shows of that person may be theirs. */

export interface Others {
  /** Under way, and perhaps sent already. */
  readonly open: number;
  /** Known to have become this subject. */
  readonly arrived: number;
  /** May have written a comment with the same date. */
  readonly commented: number;
  readonly patientHash: string;
}

export interface Asking {
  readonly email: string;
  readonly subjectId: number;
  /** Subjects are numbered by each for itself. */
  readonly instanceName: string;
}

export type AskOthers = (runId: string, asking: Asking) => Promise<Others>;
