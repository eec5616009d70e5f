/** Declares a step of a run, one try of it, and the report of a failed try. */
import type { JsonObject } from '../domain/lead';
import type { BypassHold } from '../domain/hold';
import type { AttemptFailure, AttemptNote } from '../domain/outcome';
import type { UpstreamName } from '../domain/upstreams';

/** `tries` is the number of earlier tries; `leftMs` is the time that the run has left. */
export interface Try {
  readonly tries: number;
  readonly leftMs: number;
  /** Set if a hold let this lead through. It gets priority, because all others wait for its result. */
  readonly bypassHold: BypassHold;
}

export interface FailedAttempt extends AttemptNote {
  readonly type: AttemptFailure;
}

export interface Step<T extends JsonObject> {
  readonly name: string;
  readonly upstream?: UpstreamName;
  attempt(attempt: Try): Promise<T>;
  /** A read: it is retried after an unknown outcome, too. */
  readonly repeatable?: true;
  /** The error code after a time-out. Absent in a call that only reads: workflow tools retry it on a 504. */
  readonly late?: 'UPSTREAM_ERROR' | 'OUTCOME_UNKNOWN';
  /** A refusal parks the lead, because an earlier step cannot be undone. */
  readonly refusalParks?: true;
  /** Added to the error message if this step fails: the state of the lead. */
  readonly meaning?: string;
  /** An earlier step has created something, and a repeat of the whole request would create it again. */
  readonly neverAgain?: true;
  /** The error context of the answer: how far the lead got, and the upstream's own words if it answered. */
  errorContext?(failed: FailedAttempt): JsonObject;
  /** Looks up a request with an unknown outcome, and returns the step's result if it arrived. Absent if the upstream has no look-up. */
  lookUp?(): Promise<T | undefined>;
  /** The upstream shows a request at once. Two look-ups without it, or a refused one, prove that it did not arrive. */
  readonly readBack?: true;
  /** The upstream's id of the person, if the run knows it. A confirmation with another id is refused. */
  readonly knownId?: number;
  /** The step's result after a person confirms it with the upstream's id; undefined if the id is not valid. */
  confirmed?(upstreamId: string): T | undefined;
}
