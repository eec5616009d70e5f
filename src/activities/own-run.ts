import { activityInfo } from '@temporalio/activity';
import type { Address } from '../domain/ids';

/** The run that this activity belongs to. */
export function ownRun(): Address {
  const { workflowId = '', runId = '' } = activityInfo().workflowExecution ?? {};
  return { workflowId, runId };
}
