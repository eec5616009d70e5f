/** A request that ended before anything was done leaves its key to the next one: what was wrong with it is mended, or the upstream has time. */
import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { ErrorCode } from '../domain/lead';
import { reportOfFailure } from '../leads/reports';

const doNothing: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED'];

export async function leftKey(client: Client, { workflowId, runId, status }: WorkflowExecutionDescription): Promise<boolean> {
  if (status.name !== 'FAILED') return false;
  try {
    await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { failure } = reportOfFailure(error);
    // Something was made before, and must not be made again.
    return failure !== undefined && doNothing.includes(failure.code) && failure.retryable !== false;
  }
}
