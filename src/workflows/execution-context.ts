/**
 * Workflow interceptors that attach the execution context to each activity: the sandbox binding, the trace, for a send the moment since
 * which it may have gone out, and for a send or a read inside the workflow's own task the task note.
 */
import { defaultPayloadConverter, workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { contextHeader, type ExecutionContext } from '../domain/execution-context';
import { updateOf, type Decision, type LeadInput } from '../domain/lead';
import { memoOf } from '../domain/memo';
import { isRemembered, isWrite, type TaskNote } from '../domain/sends';

const withContext = <Input extends { readonly headers: Record<string, unknown> }>(input: Input, context: ExecutionContext): Input =>
  Object.keys(context).length === 0
    ? input
    : { ...input, headers: { ...input.headers, [contextHeader]: defaultPayloadConverter.toPayload(context) } };

export function interceptors(): WorkflowInterceptors {
  const counts = new Map<string, number>();
  let context: ExecutionContext = {};
  let journal: string | undefined;
  let task: Pick<TaskNote, 'length' | 'taskStartedAt'> | undefined;
  /** The newest send, which is the one that a person decides about. */
  let lastSend = '';
  /** By activity: when a person decided to send again. */
  const resentAt = new Map<string, number>();

  function contextOf(activity: string): ExecutionContext {
    if (!isWrite(activity)) return context;
    lastSend = activity;
    return { ...context, sentSince: resentAt.get(activity) ?? workflowInfo().startTime.getTime() };
  }

  /** A task's clock stands still until an activity has run in it, so the first activity of a task reads when the task began. */
  function currentTask() {
    const { historyLength: length } = workflowInfo();
    if (task?.length !== length) task = { length, taskStartedAt: Date.now() };
    return task;
  }

  function noteOf(activity: string): TaskNote {
    const nth = (counts.get(activity) ?? 0) + 1;
    counts.set(activity, nth);
    return { ...currentTask(), startedAt: workflowInfo().startTime.getTime(), nth, journal };
  }

  return {
    inbound: [
      {
        execute(input, next) {
          const { [contextHeader]: started } = input.headers;
          const [lead] = input.args as [Partial<LeadInput>?];
          const memo = memoOf(workflowInfo());
          journal = lead?.rules?.journal;
          context = {
            ...(started && defaultPayloadConverter.fromPayload<ExecutionContext>(started)),
            // A call ends within seconds and is not bound.
            ...(memo && lead?.leadId !== '' && { binding: memo.binding }),
          };
          return next(input);
        },
        handleUpdate(input, next) {
          const [decision] = input.args as [Decision?];
          if (input.name === updateOf({ verb: 'resend' }) && decision?.verb === 'resend') resentAt.set(lastSend, Date.now());
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withContext(input, contextOf(input.activityType))),
        scheduleLocalActivity(input, next) {
          currentTask();
          const { activityType } = input;
          const own = contextOf(activityType);
          return next(withContext(input, isRemembered(activityType) ? { ...own, task: noteOf(activityType) } : own));
        },
      },
    ],
  };
}
