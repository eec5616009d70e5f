/** Configures alerting if an ALERT_ setting is set: provides what the alert run needs from this worker, and starts that run. */
import type { Client } from '@temporalio/client';
import type { Alerting } from '../activities/alerts';
import { ageOfCopies } from '../backup/schedule';
import { apiUrl, isEmbedded, type Config } from '../config/config';
import { alertsIdOf, channels, type Channel } from '../domain/alerts';
import type { KeyRing } from '../keys/ring';
import { createAlertCheck } from '../leads/alert-checks';
import { createHolds } from '../leads/holds';
import { leastFreeBytes } from '../lib/disk-space';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import { within } from '../temporal/ask';
import { keyAttribute } from '../temporal/engine';
import type { Stop } from './process';

/** How long a check must find no trouble before an alert is closed. */
const clearAfterMs = 60_000;
const startDeadlineMs = 5_000;
/** The start is repeated, in case the run was ended or the engine was unavailable. */
const startEveryMs = 60_000;

/** Alerts are sent on each channel whose setting is set. */
const settingOf = {
  webhook: 'ALERT_WEBHOOK_URL',
  slack: 'ALERT_SLACK_URL',
  email: 'ALERT_EMAIL',
  card: 'ALERT_BOARD',
} as const satisfies Record<Channel, keyof Config>;

export function alertingOf(config: Config, client: Client, keys: KeyRing, clearMs = clearAfterMs): Alerting | undefined {
  const { TASK_QUEUE: taskQueue } = config;
  const usedChannels = channels.filter((channel) => config[settingOf[channel]] !== undefined);
  if (usedChannels.length === 0 && !config.ALERT_HEARTBEAT_URL) return undefined;
  return {
    look: createAlertCheck({
      ...{ client, taskQueue, holds: createHolds(client, taskQueue).list, leadAgeMin: config.ALERT_LEAD_AGE_MIN },
      reconciles: config.RECONCILE_EVERY_H > 0,
      isCopyLate: async () => (await ageOfCopies(config))?.isLate === true,
      ...(isEmbedded(config) && { disk: { dataDir: config.LEADGATE_DATA_DIR, leastBytes: leastFreeBytes } }),
    }),
    rules: {
      clearMs,
      consoleUrl: `${apiUrl(config)}/console`,
      channels: usedChannels,
      keyFingerprint: keyAttribute(keys).value,
    },
  };
}

/** Starts the alert run again and again. All workers use the same workflow id, so only one run is open. */
export function keepAlertsRunning({ TASK_QUEUE: taskQueue }: Config, client: Client, keys: KeyRing): Stop {
  const start = () =>
    client.workflow.start('alerts', {
      workflowId: alertsIdOf(taskQueue),
      taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      typedSearchAttributes: [keyAttribute(keys)],
      staticSummary: 'checks health and sends alerts',
    });
  return repeating(startEveryMs, () =>
    within(client, Date.now() + startDeadlineMs, start).then(
      () => undefined,
      (error: unknown) => log.warn('could not start the alert run; it is retried', { reason: errorNameOf(error) }),
    ),
  );
}
