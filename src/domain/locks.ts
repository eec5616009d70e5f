/**
 * Defines the types of a lock: a small run whose id one lead or call holds at a time. There is one lock for each person of the flow without
 * prescreen, and one for each name of a copied board.
 */

/** The run that holds a lock: its workflow id, and the run id of its first run, because a long one continues as new. */
export interface Holder {
  readonly workflowId: string;
  readonly runId: string;
}

/** A lock that was taken. */
export interface Lock {
  readonly workflowId: string;
  readonly runId: string;
}

/** The values by which a person's runs and locks are found: keyed hashes, and the site. */
export interface PersonHashes {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patient?: string;
  readonly site?: string;
}

/** The lead that holds the lock is parked. */
export interface ParkedHolder {
  readonly isParked: true;
}

/** Takes a lock for the holder's person. Returns undefined if another run holds it. */
export type TakeLock = (id: string, holder: Holder, person: PersonHashes) => Promise<Lock | ParkedHolder | undefined>;

/** Marks a person and study as sent to, for a while. */
export interface Claim {
  readonly id: string;
  readonly windowMs: number;
}

/** Makes the claim for the holder. Returns the lead that made it first, unless that lead sent nothing. */
export type TakeClaim = (claim: Claim, holder: Holder, person: PersonHashes) => Promise<{ readonly leadId: string } | undefined>;

/** With this sink an ended run makes its worker release the lock. The SDK requires a type with an index, so this is no interface. */
export type LockSinks = {
  readonly locks: { giveBack(lock: Lock): void };
};
