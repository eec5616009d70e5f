/**
 * Types of locks. A lock is a small run whose id only one lead or call can hold at a time: one for each person of the flow without
 * prescreen, and one for each name of a copied board.
 */

/** The run that a lock is held for: its workflow id, and the id of its first run, because a long one continues as new. */
export interface Holder {
  readonly workflowId: string;
  readonly runId: string;
}

/** A lock that was taken. */
export interface Lock {
  readonly workflowId: string;
  readonly runId: string;
}

/** By these a person's runs and locks are found: keyed hashes, and the site. */
export interface PersonHashes {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly patient?: string;
  readonly site?: string;
}

/** The run that holds the lock does not go on until a person decides about it. */
export interface HeldByParked {
  readonly isParked: true;
}

/** Takes a lock for the holder's person. Without one, another run holds it. */
export type TakeLock = (id: string, holder: Holder, person: PersonHashes) => Promise<Lock | HeldByParked | undefined>;

/** A run that has ended tells its worker to give its lock back. The SDK requires a type with an index, so this is no interface. */
export type LockSinks = {
  readonly locks: { giveBack(lock: Lock): void };
};
