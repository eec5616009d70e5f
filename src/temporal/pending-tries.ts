/** Reads the tries of an activity that the engine retries: only its run's description has them. */
import { temporal } from '@temporalio/proto';
import type { RunDescription } from './ask';

const { PENDING_ACTIVITY_STATE_SCHEDULED: scheduled, PENDING_ACTIVITY_STATE_CANCEL_REQUESTED: cancelRequested } =
  temporal.api.enums.v1.PendingActivityState;

export interface PendingTries {
  /** The tries that have begun. */
  readonly begun: number;
  /** The time of the next try; absent before the first one has ended. */
  readonly nextTryAt?: string;
}

/** Returns the tries of the pending activity that `isMeant` accepts by its type. An activity that was cancelled in a try is not pending. */
export function pendingTries({ raw }: RunDescription, isMeant: (activityType: string) => boolean): PendingTries | undefined {
  const pending = raw.pendingActivities?.find(({ activityType, state }) => state !== cancelRequested && isMeant(activityType?.name ?? ''));
  if (!pending) return undefined;
  const { nextAttemptScheduleTime, scheduledTime, state } = pending;
  const attempt = pending.attempt ?? 1;
  const { seconds } = nextAttemptScheduleTime ?? scheduledTime ?? {};
  return {
    // Between two tries the engine has the number of the next one.
    begun: state === scheduled ? attempt - 1 : attempt,
    ...(attempt > 1 && seconds && { nextTryAt: new Date(Number(seconds) * 1000).toISOString() }),
  };
}
