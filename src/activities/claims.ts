/** The claims that a run takes for itself, and whether the holder of a claim is open. The worker provides both functions. */
import type { Claimed, Holder, PersonHashes, TakeClaim } from '../domain/claims';
import { ownRun } from './own-run';

export interface ClaimNeeds {
  readonly takeClaim: TakeClaim;
  readonly isOpen: (holder: Holder) => Promise<boolean>;
}

/** A run of the build before names nobody. */
const nobody: PersonHashes = { emails: [], phones: [] };

export const claimActivities = ({ takeClaim, isOpen }: ClaimNeeds) => ({
  takePersonLock(id: string, person: PersonHashes = nobody): Promise<Claimed | undefined> {
    return takeClaim(id, ownRun(), person);
  },
  isOpen,
});
