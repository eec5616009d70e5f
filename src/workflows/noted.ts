/** What runs inside the workflow's own task is told which task that is: by that it knows whether it is the first time (docs/decisions/0017, 0019). */
import { defaultPayloadConverter, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import type { LeadInput } from '../domain/lead';
import { isRemembered, taskHeader, type TaskNote } from '../domain/sends';

export function interceptors(): WorkflowInterceptors {
  const counts = new Map<string, number>();
  let journal: string | undefined;
  let task: Pick<TaskNote, 'length' | 'taskStartedAt'> | undefined;

  /** Time stands still until something has run in a task: the first that asks sees when it began. */
  function currentTask() {
    const { historyLength: length } = workflowInfo();
    if (task?.length !== length) task = { length, taskStartedAt: Date.now() };
    return task;
  }

  return {
    inbound: [
      {
        execute(input, next) {
          const [lead] = input.args as [Partial<LeadInput>?];
          journal = lead?.rules?.journal;
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleLocalActivity(input, next) {
          const { activityType } = input;
          const asked = currentTask();
          if (!isRemembered(activityType)) return next(input);
          const nth = (counts.get(activityType) ?? 0) + 1;
          counts.set(activityType, nth);
          const note: TaskNote = { ...asked, startedAt: workflowInfo().startTime.getTime(), nth, journal };
          return next({ ...input, headers: { ...input.headers, [taskHeader]: defaultPayloadConverter.toPayload(note) } });
        },
      },
    ],
  };
}
