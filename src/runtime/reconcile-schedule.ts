/** Keeps the engine's schedule of reconciliations in step with RECONCILE_EVERY_H. All workers keep the same schedule. */
import { ScheduleAlreadyRunning, ScheduleNotFoundError, type Client, type ScheduleOptions } from '@temporalio/client';
import type { Config } from '../config/config';
import { reconcileScheduleOf, reconcileWorkflow, scheduledPrefixOf } from '../domain/reconcile';
import type { KeyRing } from '../keys/ring';
import { errorNameOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import { within } from '../temporal/ask';
import { keyAttribute } from '../temporal/engine';
import type { Stop } from './process';

/** Repeated, in case the engine was unavailable. */
const everyMs = 600_000;
const deadlineMs = 10_000;

export function keepReconcileSchedule({ TASK_QUEUE: taskQueue, RECONCILE_EVERY_H: hours }: Config, client: Client, keys: KeyRing): Stop {
  const scheduleId = reconcileScheduleOf(taskQueue);
  const schedule = {
    spec: { intervals: [{ every: `${hours}h` }] },
    // Without arguments, nothing of it is encrypted, so it outlives every key.
    action: {
      type: 'startWorkflow',
      workflowType: reconcileWorkflow,
      workflowId: scheduledPrefixOf(taskQueue),
      taskQueue,
      typedSearchAttributes: [keyAttribute(keys)],
    },
    policies: { overlap: 'SKIP', catchupWindow: '1h' },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;

  async function keep(): Promise<void> {
    const handle = client.schedule.getHandle(scheduleId);
    if (hours === 0)
      return handle.delete().then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
        },
      );
    await client.schedule.create({ scheduleId, ...schedule }).catch((error: unknown) => {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      return handle.update(({ state }) => ({ ...schedule, state }));
    });
  }

  return repeating(everyMs, () =>
    within(client, Date.now() + deadlineMs, keep).catch((error: unknown) =>
      log.warn('the schedule of reconciliations could not be kept; it is retried', { reason: errorNameOf(error) }),
    ),
  );
}
