/** Puts a lead into the waiting line of a held upstream, and tells the hold that its upstream answers. */
import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Config } from '../config/config';
import { holdId, type HoldNotice, type LeadResult, type LinePlace } from '../domain/hold';
import type { Destination } from '../domain/upstreams';
import type { KeyRing } from '../keys/ring';
import { askEngine } from '../temporal/ask';
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

/** If the report is lost, the hold learns of the next answer after a failure, or ends without leads after a minute. */
export const reportAnswers =
  ({ client, config }: { client: Client; config: Config }) =>
  (destination: Destination): void => {
    const result: LeadResult = { ...ownRun(), heard: { said: 'answered' } };
    askEngine(client, () => client.workflow.getHandle(holdId(config.TASK_QUEUE, destination)).signal('heard', result)).catch(
      () => undefined,
    );
  };
