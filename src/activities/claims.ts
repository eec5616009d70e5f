/** Claims that a run makes for itself; what that takes is given by the worker. */
import { activityInfo } from '@temporalio/activity';
import type { Claimed, Holder, TakeClaim } from '../domain/claims';

export interface ClaimNeeds {
  readonly takeClaim: TakeClaim;
  readonly isOpen: (holder: Holder) => Promise<boolean>;
}

export const claimActivities = ({ takeClaim, isOpen }: ClaimNeeds) => ({
  takePersonLock(id: string): Promise<Claimed | undefined> {
    const { workflowId = '', runId } = activityInfo().workflowExecution ?? {};
    return takeClaim(id, { workflowId, runId });
  },
  isOpen,
});
