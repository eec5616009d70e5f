import { isCancellation } from '@temporalio/workflow';

/** For `catch`: whatever failed may be passed over, but a run that is being cancelled ends. */
export function unlessCancelled(error: unknown): undefined {
  if (isCancellation(error)) throw error;
}
