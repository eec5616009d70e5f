/**
 * Decides whether an Idempotency-Key may be used for a new request. A key is kept for IDEMPOTENCY_WINDOW_H, and longer while its lead is
 * open. A call without any effect frees its key at once.
 */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import type { ErrorCode } from '../domain/lead';
import { reportOfFailure } from '../leads/reports';
import { isOpen, leadIdOfRun, receivedAt } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import { askEngine, type RunDescription } from '../temporal/ask';

/** Errors that prove that the upstream changed nothing. */
const errorsWithoutEffect: readonly ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED'];

/** `found` is the newest run under the key. */
export async function isKeyFree(client: Client, found: RunDescription, windowMs: number): Promise<boolean> {
  if (isOpen(found)) return false;
  const leadId = leadIdOfRun(found);
  // A lead with such an error is parked, and then a person decides.
  if (!leadId && (await hadNoEffect(client, found))) return true;
  if (Date.now() - Date.parse(receivedAt(found)) <= windowMs) return false;
  return !leadId || !isOpen(await newestRun(client, leadId));
}

async function hadNoEffect(client: Client, { workflowId, runId, status }: RunDescription): Promise<boolean> {
  if (status.name !== 'FAILED') return false;
  try {
    await askEngine(client, () => client.workflow.getHandle(workflowId, runId, { followRuns: false }).result());
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { failure } = reportOfFailure(error) ?? {};
    // `retryable: false` means that an earlier step had an effect, which must not be repeated.
    return failure !== undefined && errorsWithoutEffect.includes(failure.code) && failure.retryable !== false;
  }
}
