/** A request that ended before anything was done leaves its key to the next one: what was wrong with it is mended, or the upstream has time. */
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { ErrorCode, LeadReport } from '../domain/lead';

const doNothing: readonly (string | null | undefined)[] = ['VALIDATION_ERROR', 'RATE_LIMITED'] satisfies ErrorCode[];

export async function leftKey(client: Client, { workflowId, runId, status }: WorkflowExecutionDescription): Promise<boolean> {
  if (status.name !== 'FAILED') return false;
  try {
    await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    if (!(error.cause instanceof ApplicationFailure)) return false;
    const report = error.cause.details?.[0] as LeadReport | undefined;
    // Something was made before, and must not be made again.
    return doNothing.includes(error.cause.type) && report?.failure?.retryable !== false;
  }
}
