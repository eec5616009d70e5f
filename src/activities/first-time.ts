/**
 * A send inside a workflow's own task: such a task may run again after a crash, and then nobody knows what its sends did. So the engine
 * is asked first: when the history ends with the very task in which the workflow wanted the send, and no worker had that task in its
 * hands before, this is the first time. Without that proof nothing goes out, and the outcome is unknown, as of a send whose worker died.
 */
import type { Client } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { notHere } from '../domain/outcome';
import { isQuickSend, lengthHeader } from '../domain/sends';
import { attemptFailure } from './failure';

type Event = temporal.api.history.v1.IHistoryEvent;

/** So many at once: more would keep other runs from their tasks. */
const mostAtOnce = 40;
/** A send that takes longer keeps its run from being asked meanwhile, so the next one is left to an activity of its own. */
const slowMs = 1_000;
/** The task, and the tries to hand it over that nobody took up. */
const eventsToRead = 12;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: nobodyTookIt } = temporal.api.enums.v1.TimeoutType;

export function firstTimeOnly(client: Client): ActivityInterceptorsFactory {
  const tookMs = new Map<string, number>();
  let underWay = 0;

  async function isFirst({ workflowId, runId }: { workflowId: string; runId: string }, length: number): Promise<boolean> {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: eventsToRead,
    });
    return endsWithFreshTask(history?.events ?? [], length);
  }

  return ({ info: { activityType, isLocal, workflowExecution } }) => ({
    inbound: {
      async execute(input, next) {
        if (!isQuickSend(activityType)) return next(input);
        const startedAt = performance.now();
        const noteTime = () => void tookMs.set(activityType, performance.now() - startedAt);
        if (!isLocal || !workflowExecution) return next(input).finally(noteTime);

        const header = input.headers[lengthHeader];
        if (!header || !(await isFirst(workflowExecution, defaultPayloadConverter.fromPayload<number>(header))))
          throw attemptFailure('UNKNOWN', { message: 'The worker stopped while this was on its way' });
        if (underWay >= mostAtOnce || (tookMs.get(activityType) ?? 0) > slowMs)
          throw ApplicationFailure.nonRetryable('Left to an activity of its own', notHere);
        underWay++;
        return next(input).finally(() => {
          underWay--;
          noteTime();
        });
      },
    },
  });
}

/** The newest event comes first. */
export function endsWithFreshTask(events: readonly Event[], length: number): boolean {
  const [started, , ...before] = events;
  if (!started?.workflowTaskStartedEventAttributes || Number(started.eventId) !== length) return false;
  for (let at = 0; at < before.length; at += 2) {
    const { workflowTaskTimedOutEventAttributes: timedOut, workflowTaskFailedEventAttributes: failed } = before[at] ?? {};
    if (failed) return false;
    if (!timedOut) return true;
    if (timedOut.timeoutType !== nobodyTookIt) return false;
  }
  return false;
}
