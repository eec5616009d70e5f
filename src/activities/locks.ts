/** Takes a lock for a run, and checks whether the holder of a lock is open. The worker provides both functions. */
import type { Holder, TakeLock } from '../domain/locks';

export interface LockNeeds {
  readonly takeLock: TakeLock;
  readonly isHolderOpen: (holder: Holder) => Promise<boolean>;
}

export const lockActivities = ({ takeLock, isHolderOpen }: LockNeeds) => ({ takeLock, isHolderOpen });
