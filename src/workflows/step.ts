/** A step of a run, one try of it, and what a failed try reports. */
import type { JsonObject } from '../domain/lead';
import type { BypassHold } from '../domain/hold';
import type { AttemptFailure, AttemptNote } from '../domain/outcome';
import type { UpstreamName } from '../domain/upstreams';

/** `tries` counts from 0, and `leftMs` is the time that the run still has. */
export interface Try {
  readonly tries: number;
  readonly leftMs: number;
  /** Set if a hold let this lead through. It goes first, because all others wait for its result. */
  readonly bypassHold: BypassHold;
}

export interface FailedAttempt extends AttemptNote {
  readonly type: AttemptFailure;
}

export interface Step<T extends JsonObject> {
  readonly name: string;
  readonly upstream?: UpstreamName;
  attempt(attempt: Try): Promise<T>;
  /** A read: an unknown outcome does no harm, so it is tried again. */
  readonly repeatable?: true;
  /** The code if no answer comes in time. Absent in a call that only reads: workflow tools send again on its 504. */
  readonly late?: 'UPSTREAM_ERROR' | 'OUTCOME_UNKNOWN';
  /** A refusal parks the lead, because an earlier step cannot be taken back. */
  readonly refusalParks?: true;
  /** Added to the error message if this step fails: what is true of the lead. */
  readonly meaning?: string;
  /** An earlier step has made something, and repeating the whole request would make it a second time. */
  readonly neverAgain?: true;
  /** The error context of the answer: how far the lead got, and the upstream's own words if it answered. */
  errorContext?(failed: FailedAttempt): JsonObject;
  /** Looks for a request with an unknown outcome, and returns the step's result if it arrived. Absent if the upstream cannot be asked. */
  lookUp?(): Promise<T | undefined>;
  /** The upstream shows at once what arrived. Two look-ups without it, or a refused one, prove that it did not arrive. */
  readonly readBack?: true;
  /** The upstream's id of the person, if the run knows it. A confirmation with another one is refused. */
  readonly knownId?: number;
  /** The step's result after a person confirmed it with the upstream's id; undefined if that is not an id. */
  confirmed?(upstreamId: string): T | undefined;
}
