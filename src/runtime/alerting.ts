/** Sets up the alerting if an ALERT_ setting asks for it: what the alerts' run needs of this worker, and starting that run. */
import type { Client } from '@temporalio/client';
import type { Alerting } from '../activities/alerts';
import { ageOfCopies } from '../backup/schedule';
import { apiUrl, isEmbedded, type Config } from '../config/config';
import { alertsIdOf } from '../domain/alerts';
import { rulesOf } from '../intake/run-options';
import type { KeyRing } from '../keys/ring';
import { createLook } from '../leads/alert-look';
import { createHolds } from '../leads/holds';
import { leastFreeBytes } from '../lib/disk-space';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { within } from '../temporal/ask';
import { keyMark } from '../temporal/engine';
import type { Stop } from './process';

/** How long all must be well before an alert is closed. */
const clearAfterMs = 60_000;
const startDeadlineMs = 5_000;
/** The start is repeated this often, in case somebody has ended the run or the engine was away. */
const startEveryMs = 60_000;

const hasAlerts = ({ ALERT_WEBHOOK_URL, ALERT_BOARD, ALERT_HEARTBEAT_URL }: Config): boolean =>
  Boolean(ALERT_WEBHOOK_URL ?? ALERT_BOARD ?? ALERT_HEARTBEAT_URL);

export function alertingOf(config: Config, client: Client, keys: KeyRing, clearMs = clearAfterMs): Alerting | undefined {
  if (!hasAlerts(config)) return undefined;
  const { TASK_QUEUE: taskQueue, ALERT_BOARD: card } = config;
  return {
    look: createLook({
      ...{ client, taskQueue, holds: createHolds(client, taskQueue).list, leadAgeMin: config.ALERT_LEAD_AGE_MIN },
      isCopyLate: async () => (await ageOfCopies(config))?.isLate === true,
      ...(isEmbedded(config) && { disk: { dataDir: config.LEADGATE_DATA_DIR, leastBytes: leastFreeBytes } }),
    }),
    rules: {
      clearMs,
      consoleUrl: `${apiUrl(config)}/console`,
      webhook: config.ALERT_WEBHOOK_URL !== undefined,
      ...(card && { card }),
      call: rulesOf(config),
      keyFingerprint: keyMark(keys).value,
    },
  };
}

/** Keeps the alerts' run going. All workers start it under the same id, so only one is open. */
export function keepAlerts({ TASK_QUEUE: taskQueue }: Config, client: Client, keys: KeyRing): Stop {
  const start = () =>
    client.workflow.start('alerts', {
      workflowId: alertsIdOf(taskQueue),
      taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      typedSearchAttributes: [keyMark(keys)],
      staticSummary: 'looks for what is not well, and tells it',
    });
  const keep = () => {
    within(client, Date.now() + startDeadlineMs, start).catch((error: unknown) => {
      log.warn('the alerting could not be started', { reason: errorNameOf(error) });
    });
  };
  keep();
  const timer = setInterval(keep, startEveryMs);
  return async () => clearInterval(timer);
}
