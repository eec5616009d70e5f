/**
 * Types of claims. A claim is a small run that holds an id for a lead or call that runs under another id: a person's or a body's home, a
 * person lock, or the name of a copied board.
 */

/** The run that a claim is held for. */
export interface Holder {
  readonly workflowId: string;
  /** Absent if the claim is made before the run begins. */
  readonly runId?: string;
  /** The keyed hash of the body, if a request with the same body is to find the run. */
  readonly digest?: string;
}

/** A claim that was made. */
export interface Claimed {
  readonly workflowId: string;
  readonly runId: string;
}

/** By these a person's runs and claims are found: keyed hashes, and the site. */
export interface PersonHashes {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patient?: string;
  readonly site?: string;
}

/** Takes a claim for the holder's person; undefined if another run holds the id. */
export type TakeClaim = (id: string, holder: Holder, person: PersonHashes) => Promise<Claimed | undefined>;

/** A run that has ended tells its worker to give its claims back. The SDK requires a type with an index, so this is no interface. */
export type ClaimSinks = {
  readonly claims: { giveBack(claims: readonly Claimed[]): void };
};
