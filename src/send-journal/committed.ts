/** Which runs' sends the engine has on record, so that no task of theirs can ask for them again: the marker is there, or the run is over. */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { inPlace, type Send } from '../domain/sends';
import { happened } from '../replay/commands';
import { isNoRun } from '../temporal/grpc';
import type { Committed } from './journal';

type Event = temporal.api.history.v1.IHistoryEvent;

const atOnce = 20;

/** `local` knows the runs of which this process was told that they are over. */
export function createCommitted(client: Client, local: { hasEnded(runId: string): boolean }): Committed {
  const { namespace } = client.options;

  /** Asked of the run itself, where nobody here was told: to be told of many, an engine on SQLite would go through all that is stored. */
  async function isOver({ workflowId, runId }: Send): Promise<boolean> {
    if (local.hasEnded(runId)) return true;
    const execution = { workflowId, runId };
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({ namespace, execution });
    return Boolean(workflowExecutionInfo?.closeTime);
  }

  async function areOnRecord(sends: readonly Send[]): Promise<boolean> {
    const [first] = sends;
    try {
      if (!first || (await isOver(first))) return true;
      const { events } = await client.workflow.getHandle(first.workflowId, first.runId).fetchHistory();
      return areIn(events ?? [], sends);
    } catch (error) {
      if (isNoRun(error)) return true;
      throw error;
    }
  }

  return async (sends) => {
    const runs = new Map<string, Send[]>();
    for (const send of sends) runs.set(send.runId, [...(runs.get(send.runId) ?? []), send]);
    const left = [...runs];
    const settled = new Set<string>();
    while (left.length > 0)
      await Promise.all(left.splice(0, atOnce).map(async ([runId, ofRun]) => (await areOnRecord(ofRun)) && settled.add(runId)));
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
    const { activity, nth } = inPlace(place);
    return kept.filter(({ name }) => name === activity).length >= nth;
  });
}
