/** Tells what runs inside a workflow's own task, while it does. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

export interface Watch {
  during<T>(runId: string, activity: string, run: () => Promise<T>): Promise<T>;
}

export const watchedActivities =
  (watch: Watch): ActivityInterceptorsFactory =>
  ({ info: { activityType, isLocal, workflowExecution: run } }) =>
    isLocal && run ? { inbound: { execute: (input, next) => watch.during(run.runId, activityType, () => next(input)) } } : {};
