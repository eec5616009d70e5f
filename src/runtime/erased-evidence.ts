/**
 * Removes the evidence about erased persons from the audit trail of this machine. An erasure runs on one machine, and its worker reaches only
 * that machine's trail, so every process with a trail looks for the erasures that have ended.
 */
import { Client } from '@temporalio/client';
import { eraseEvidenceOf } from '../audit/evidence';
import type { Config } from '../config/config';
import { erasureWorkflow, nothingErased, type ErasureProgress, type EraseOrder } from '../domain/erase';
import type { KeyRing } from '../keys/ring';
import { changedAt, startInputOf } from '../leads/runs';
import { indexLagMs, listRuns } from '../leads/search';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import { within } from '../temporal/ask';
import { dataConverter, type Engine } from '../temporal/engine';
import type { Stop } from './process';
import type { Shared } from './shared';

const usualEveryMs = 120_000;
const queryMs = 2_000;

/** Looks at the erasures that are retained, and then every few minutes at those that have ended since. */
export function forgetErasedPersons(
  { TASK_QUEUE: taskQueue }: Config,
  { connection, namespace }: Engine,
  keys: KeyRing,
  { trail, evidence }: Pick<Shared, 'trail' | 'evidence'>,
  everyMs = usualEveryMs,
): Stop {
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  const ofQueue = `TaskQueue = '${taskQueue}' AND WorkflowType = '${erasureWorkflow}' AND ExecutionStatus = 'Completed'`;
  let since = 0;

  async function look(): Promise<void> {
    // Without evidence, nothing is asked: erasures are looked at when there is some.
    if (await evidence.isEmpty()) return;
    const lookedAt = Date.now();
    for (const run of await listRuns(client, `${ofQueue} AND CloseTime >= '${new Date(since).toISOString()}'`)) {
      const { workflowId, runId } = run;
      const order = (await startInputOf(client, run)) as EraseOrder;
      const query = () => client.workflow.getHandle(workflowId, runId).query<ErasureProgress>('erased');
      // Without a worker, the person's hashes alone find the evidence.
      const { leadIds } = await within(client, Date.now() + queryMs, query).catch(() => nothingErased);
      await eraseEvidenceOf(trail, evidence, { ...order, leadIds, until: (changedAt(run) ?? run.startTime).toISOString() });
    }
    // A piece may have been written while its lead was being erased, so each erasure is looked at twice.
    since = lookedAt - everyMs - indexLagMs;
  }

  return repeating(everyMs, () =>
    look().catch((error: unknown) =>
      log.warn('the evidence about erased persons could not be looked for; it is retried', { reason: errorNameOf(error) }),
    ),
  );
}
