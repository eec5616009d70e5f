/** Puts a lead into the waiting line of a held upstream. */
import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { holdId, type HoldNotice, type LinePlace } from '../domain/hold';
import type { KeyRing } from '../keys/ring';
import { keyAttribute } from '../temporal/engine';
import { ownRun } from './own-run';

export const holdActivities = ({ client, keys }: { client: Client; keys: KeyRing }) => ({
  /** Starts the hold if there is none. A lead that is already in the line keeps its place. */
  async joinHold(held: HoldNotice, again: boolean): Promise<void> {
    const { taskQueue } = activityInfo();
    const place: LinePlace = { ...ownRun(), ...(again && { again }), ...(held.pause && { paused: true }) };
    await client.workflow.signalWithStart('hold', {
      workflowId: holdId(taskQueue, held),
      taskQueue,
      args: [held],
      signal: 'join',
      signalArgs: [place],
      typedSearchAttributes: [keyAttribute(keys)],
      staticSummary: `the waiting line of ${held.upstream} ${held.instance}`.replaceAll('`', ''),
    });
  },
});
