/** Pauses or resumes an upstream on a person's order. */
import { WithStartWorkflowOperation, WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { ApiError } from '../contract/errors';
import { pausesId, type PauseChange, type PauseResult } from '../domain/pauses';
import { nameOf } from '../domain/upstreams';
import type { Order } from '../domain/redrive';
import type { KeyRing } from '../keys/ring';
import { log } from '../lib/log';
import { isEngineAway, within } from '../temporal/ask';
import { keyAttribute } from '../temporal/engine';
import { assertSameRequest } from '../intake/identity';

/** Long enough for every worker to apply the change, even if the run's workflow task is retried once. */
const changeMs = 25_000;

export interface PauseNeeds {
  readonly client: Client;
  readonly keys: KeyRing;
  readonly config: { readonly TASK_QUEUE: string; readonly IDEMPOTENCY_WINDOW_H: number };
}

/** Resolves once every worker uses the new state. A repeated order does nothing. */
export type ChangePause = (
  requested: Omit<PauseChange, 'order' | 'keyFingerprint'>,
  order?: Required<Order>,
) => Promise<Pick<PauseResult, 'isRepeat'>>;

export function createChangePause({ client, keys, config }: PauseNeeds): ChangePause {
  const workflowId = pausesId(config.TASK_QUEUE);

  function carryOut(change: PauseChange): Promise<PauseResult> {
    const args: [PauseChange] = [change];
    if (change.verb === 'resume')
      return client.workflow.getHandle(workflowId).executeUpdate<PauseResult, [PauseChange]>('change', { args });
    const startWorkflowOperation = new WithStartWorkflowOperation('pauses', {
      workflowId,
      taskQueue: config.TASK_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
      typedSearchAttributes: [keyAttribute(keys)],
      staticSummary: 'stores which upstreams are paused, and who paused and resumed them',
    });
    return client.workflow.executeUpdateWithStart<Workflow, PauseResult, [PauseChange]>('change', { args, startWorkflowOperation });
  }

  return async (requested, order) => {
    const change: PauseChange = {
      ...requested,
      keyFingerprint: keyAttribute(keys).value,
      ...(order && { order: { ...order, keptUntil: Date.now() + config.IDEMPOTENCY_WINDOW_H * 3_600_000 } }),
    };
    try {
      const { isRepeat, orderDigest } = await within(client, Date.now() + changeMs, () => carryOut(change));
      if (isRepeat) assertSameRequest(order?.orderDigest, orderDigest);
      log.info('upstream changed', { verb: requested.verb, upstream: requested.upstream });
      return { isRepeat };
    } catch (error) {
      throw changeError(error, requested);
    }
  };
}

function changeError(error: unknown, requested: Pick<PauseChange, 'upstream' | 'instance'>): unknown {
  if (error instanceof WorkflowNotFoundError) return new ApiError('WRONG_STATE', `${nameOf(requested)} is not paused`);
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) return new ApiError('WRONG_STATE', cause.message);
  if (!isEngineAway(error)) return error;
  const words =
    'No worker confirmed the change in time, and it may still be carried out: read the upstreams, or repeat it with its Idempotency-Key';
  return new ApiError('OUTCOME_UNKNOWN', words);
}
