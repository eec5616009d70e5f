/** Calls the alerting run: to send a test alert, and to report that somebody guesses gateway keys. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ApiError } from '../../contract/errors';
import { alertsIdOf, wrongKeysMs, type AlertTest } from '../../domain/alerts';
import { askEngine, isEngineAway, ignoreRunNotFound, within } from '../../temporal/ask';
import type { Handlers } from '../handler';

/** Longer than both messages of a channel can take. */
const testMs = 30_000;

const notConfigured = () =>
  new ApiError(
    'CONFIG_ERROR',
    'No alert channel is configured: set ALERT_WEBHOOK_URL, ALERT_SLACK_URL, ALERT_EMAIL or ALERT_BOARD for the worker, and restart it',
  );

const timedOut = () =>
  new ApiError('OUTCOME_UNKNOWN', 'The alerting run did not answer in time, and may still send the test alert: check that a worker runs');

export const alertHandlers = (client: Client, taskQueue: string) =>
  ({
    async testAlerts() {
      const alerting = client.workflow.getHandle(alertsIdOf(taskQueue));
      try {
        const test = await within(client, Date.now() + testMs, () => alerting.executeUpdate<AlertTest | undefined, []>('testAlert'));
        if (!test || test.channels.length === 0) throw notConfigured();
        return { status: 200, body: { success: true, ...test } };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) throw notConfigured();
        throw isEngineAway(error) ? timedOut() : error;
      }
    },
  }) satisfies Partial<Handlers>;

/** Does nothing if no alert channel is configured, because then there is no alerting run. */
export async function signalWrongKeys(client: Client, taskQueue: string): Promise<void> {
  const alerting = client.workflow.getHandle(alertsIdOf(taskQueue));
  await askEngine(client, () => alerting.signal('wrongKeys', wrongKeysMs)).catch(ignoreRunNotFound);
}
