/**
 * Finds the runs whose sends the engine has committed, so that no workflow task can ask for them again: the history has their markers, or
 * the run is over.
 */
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { inPlace, type Send } from '../domain/sends';
import { happened } from '../replay/commands';
import { isNoRun } from '../temporal/ask';
import type { Committed } from './journal';

type Event = temporal.api.history.v1.IHistoryEvent;

const atOnce = 20;

/** `local` knows which runs of this process have ended. */
export function createCommitted(client: Client, local: { hasEnded(runId: string): boolean }): Committed {
  const { namespace } = client.options;

  /** Asks about one run. A query for many at once would make an engine on SQLite read everything that is stored. */
  async function isOver({ workflowId, runId }: Send): Promise<boolean> {
    if (local.hasEnded(runId)) return true;
    const execution = { workflowId, runId };
    const { workflowExecutionInfo } = await client.workflowService.describeWorkflowExecution({ namespace, execution });
    return Boolean(workflowExecutionInfo?.closeTime);
  }

  async function areCommitted(sends: readonly Send[]): Promise<boolean> {
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
    const committed = new Set<string>();
    while (left.length > 0)
      await Promise.all(left.splice(0, atOnce).map(async ([runId, ofRun]) => (await areCommitted(ofRun)) && committed.add(runId)));
    return committed;
  };
}

/**
 * True if the history has a marker for each send. Markers come in order, one for each local activity of a task that has ended. A later
 * task proves nothing: the send may belong to a task that was lost, and the run may have gone on another way.
 */
export function areIn(events: readonly Event[], sends: readonly Send[]): boolean {
  const kept = happened(events).filter(({ kind }) => kind === 'scheduleLocalActivity');
  return sends.every(({ place }) => {
    const { activity, nth } = inPlace(place);
    return kept.filter(({ name }) => name === activity).length >= nth;
  });
}
