/** Takes a lock or a claim for a run, and checks whether the holder of a lock is open. The worker provides the functions. */
import type { Holder, TakeClaim, TakeLock } from '../domain/locks';

export interface LockNeeds {
  readonly takeLock: TakeLock;
  readonly takeClaim: TakeClaim;
  readonly isHolderOpen: (holder: Holder) => Promise<boolean>;
}

export const lockActivities = ({ takeLock, takeClaim, isHolderOpen }: LockNeeds) => ({ takeLock, takeClaim, isHolderOpen });
