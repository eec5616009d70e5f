/**
 * Removes the evidence about erased persons from the audit trail of this machine. An erasure runs on one machine, and its worker reaches only
 * that machine's trail, so every API looks for the erasures that have ended.
 */
import type { Client } from '@temporalio/client';
import { eraseEvidence, type ErasedEvidence, type EvidenceStore } from '../../audit/evidence';
import type { Trail } from '../../audit/trail';
import { nothingErased, type ErasureProgress, type EraseOrder } from '../../domain/erase';
import { changedAt, startInputOf } from '../../leads/runs';
import { indexLagMs, listRuns } from '../../leads/search';
import { errorNameOf } from '../../lib/errors';
import { log } from '../../lib/log';
import { repeating } from '../../lib/repeating';
import { within } from '../../temporal/ask';

export const erasureWorkflow = 'erasePerson';

export type ForgetPerson = (person: ErasedEvidence) => Promise<void>;

export const createForgetPerson =
  (trail: Trail, store: EvidenceStore): ForgetPerson =>
  async (person) =>
    eraseEvidence(trail, store, await store.find(person));

const lookEveryMs = 120_000;
const queryMs = 2_000;

/** Looks now, at every erasure that is retained, and then every few minutes. The returned function stops it. */
export function forgetErasedPersons(client: Client, taskQueue: string, store: EvidenceStore, forget: ForgetPerson): () => Promise<void> {
  let since = 0;
  return repeating(lookEveryMs, async () => {
    const lookedAt = Date.now();
    try {
      if (await store.isEmpty()) return;
      const ofQueue = `TaskQueue = '${taskQueue}' AND WorkflowType = '${erasureWorkflow}' AND ExecutionStatus = 'Completed'`;
      for (const run of await listRuns(client, `${ofQueue} AND CloseTime >= '${new Date(since).toISOString()}'`)) {
        const order = (await startInputOf(client, run)) as EraseOrder;
        const { workflowId, runId } = run;
        const query = () => client.workflow.getHandle(workflowId, runId).query<ErasureProgress>('erased');
        // Without a worker, the persons' hashes alone find the evidence.
        const { leadIds } = await within(client, Date.now() + queryMs, query).catch(() => nothingErased);
        await forget({ ...order, leadIds, until: (changedAt(run) ?? run.startTime).toISOString() });
      }
      since = lookedAt - lookEveryMs - indexLagMs;
    } catch (error) {
      log.warn('the evidence about erased persons could not be looked for; it is tried again', { reason: errorNameOf(error) });
    }
  });
}
