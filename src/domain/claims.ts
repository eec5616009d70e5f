/** A claim holds an id for a run that goes under another one: a person's, a body's, or the name of a board's copy. Types only. */

/** The run that a claim is held for. */
export interface Holder {
  readonly workflowId: string;
  /** Absent where the claim is made before the run begins. */
  readonly runId?: string;
  /** The keyed hash of the body, where the same body is to find the run. */
  readonly digest?: string;
}

/** A claim that was made. */
export interface Claimed {
  readonly workflowId: string;
  readonly runId: string;
}

/** Undefined where another run holds the id. */
export type TakeClaim = (id: string, holder: Holder) => Promise<Claimed | undefined>;

/** How a run that is over tells its worker that what was held for it is free. A type, not an interface: the SDK asks for one with an index. */
export type ClaimSinks = {
  readonly claims: { giveBack(claims: readonly Claimed[]): void };
};
