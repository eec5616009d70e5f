/** Which runs' sends the engine has on record, so that no task of theirs can ask for them again: the marker is there, or the run is over. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { Send } from '../domain/sends';
import { isNoRun } from '../grpc';
import { happened } from '../replay/commands';
import type { Settled } from './journal';

type Event = temporal.api.history.v1.IHistoryEvent;

const atOnce = 200;

export function createSettled(client: Client): Settled {
  /** The index knows most of them, and may be late: what it does not know is not over. */
  async function closedOf(runIds: readonly string[]): Promise<string[]> {
    const closed: string[] = [];
    for (let from = 0; from < runIds.length; from += atOnce) {
      const named = runIds.slice(from, from + atOnce).map((runId) => `'${runId}'`);
      const query = `RunId IN (${named.join(', ')}) AND ExecutionStatus != 'Running'`;
      for await (const { runId } of client.workflow.list({ query, pageSize: atOnce })) closed.push(runId);
    }
    return closed;
  }

  async function areOnRecord(sends: readonly Send[]): Promise<boolean> {
    const [{ workflowId, runId } = { workflowId: '', runId: '' }] = sends;
    try {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      return areIn(events ?? [], sends);
    } catch (error) {
      if (isNoRun(error)) return true;
      throw error;
    }
  }

  return async (sends) => {
    const runs = new Map<string, Send[]>();
    for (const send of sends) runs.set(send.runId, [...(runs.get(send.runId) ?? []), send]);
    const settled = new Set(await closedOf([...runs.keys()]));
    for (const [runId, ofRun] of runs) if (!settled.has(runId) && (await areOnRecord(ofRun))) settled.add(runId);
    return settled;
  };
}

/**
 * One marker for each activity inside a task that has ended, in order. That a later task is over proves nothing: the send may have been
 * in one that was lost, and the run may have come further by another way.
 */
export function areIn(events: readonly Event[], sends: readonly Send[]): boolean {
  const kept = happened(events).filter(({ kind }) => kind === 'scheduleLocalActivity');
  return sends.every(({ place }) => {
    const [activity, nth] = place.split(':');
    return kept.filter(({ name }) => name === activity).length >= Number(nth);
  });
}
