/** The API's requests to the run of the alerting: to send a test alert, as it sends real ones, and to alert that somebody tries gateway keys. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApiError } from '../../contract/errors';
import { alertsIdOf, wrongKeysMs, type AlertTest } from '../../domain/alerts';
import { askEngine, isEngineAway, ignoreRunNotFound, within } from '../../temporal/ask';
import type { Handlers } from '../handler';

/** Longer than both posts to a webhook take, and short enough for the person who waits. */
const testMs = 30_000;

const notSet = () =>
  new ApiError('CONFIG_ERROR', 'No alert is told: set ALERT_WEBHOOK_URL or ALERT_BOARD where the worker runs, and start it again');

const late = () =>
  new ApiError('OUTCOME_UNKNOWN', 'The alerting did not answer in time: does a worker run? The test alert may still be told');

export const alertHandlers = (client: Client, taskQueue: string) =>
  ({
    async testAlerts() {
      const alerting = client.workflow.getHandle(alertsIdOf(taskQueue));
      try {
        const test = await within(client, Date.now() + testMs, () => alerting.executeUpdate<AlertTest | undefined, []>('testAlert'));
        if (!test || test.channels.length === 0) throw notSet();
        return { status: 200, body: { success: true, ...test } };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) throw notSet();
        throw isEngineAway(error) ? late() : error;
      }
    },
  }) satisfies Partial<Handlers>;

/** Does nothing if no alert is set: then no alerting runs. */
export async function tellOfWrongKeys(client: Client, taskQueue: string): Promise<void> {
  const alerting = client.workflow.getHandle(alertsIdOf(taskQueue));
  await askEngine(client, () => alerting.signal('wrongKeys', wrongKeysMs)).catch(ignoreRunNotFound);
}
