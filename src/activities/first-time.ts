/**
 * A send inside a workflow's own task: such a task may run again after a crash, so the journal of sends tells whether this is the first time
 * (docs/decisions/0019). A worker that has another journal leaves the send to an ordinary activity, once the history proves that no task
 * before was lost. Without proof nothing goes out, and the outcome is unknown, as of a send whose worker died.
 */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { notHere, taskAgain, type AttemptFailure, type AttemptNote } from '../domain/outcome';
import { isQuickSend, isRemembered, placeOf, type Send, type SendJournal, type TaskNote, type Told } from '../domain/sends';
import { executionContext } from './execution-context';
import { attemptFailure, noting } from './http';

type Event = temporal.api.history.v1.IHistoryEvent;
type Run = () => Promise<unknown>;

/** So many at once: more would keep other runs from their tasks. */
const mostAtOnce = 40;
/** A send that takes longer keeps its run from being asked meanwhile, so the next one is left to an activity of its own. */
const slowMs = 1_000;
/** The newest of a history. */
const eventsToRead = 12;
const eventsToReadMost = 1_000;
/** The length of a history that holds a run's first task and nothing else. */
const firstTask = 3;
/** The engine hands a task to somebody else after five seconds, not sooner. */
const certainForMs = 3_000;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: nobodyTookIt } = temporal.api.enums.v1.TimeoutType;
const { PENDING_WORKFLOW_TASK_STATE_STARTED: taskStarted } = temporal.api.enums.v1.PendingWorkflowTaskState;

const unknown = () => attemptFailure('UNKNOWN', { message: 'The worker stopped while this was on its way' });
const notNow = () => {
  throw ApplicationFailure.nonRetryable('The journal of sends cannot be read now', taskAgain);
};
const left = () => ApplicationFailure.nonRetryable('Left to an activity of its own', notHere);

/** A first task that is this young was in nobody else's hands. */
const isJustBegun = ({ length, startedAt }: TaskNote) => length === firstTask && Math.abs(Date.now() - startedAt) < certainForMs;

export function firstTimeOnly(client: Client, ours?: SendJournal): ActivityInterceptorsFactory {
  const tookMs = new Map<string, number>();
  let underWay = 0;

  async function newestEvents({ workflowId, runId }: Send, most = eventsToRead): Promise<readonly Event[]> {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: most,
    });
    return history?.events ?? [];
  }

  /** A task that was tried before, and one that only a decision has begun, is not in the history until it ends: then it is asked for itself. */
  async function isPending({ workflowId, runId }: Send, { taskStartedAt }: TaskNote): Promise<boolean> {
    const { namespace } = client.options;
    const { pendingWorkflowTask: task } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId, runId },
    });
    return task?.state === taskStarted && optionalTsToMs(task.startedTime) === taskStartedAt;
  }

  async function isStillOurs(send: Send, note: TaskNote): Promise<boolean> {
    const inHistory = async () => isCarriedOn(await newestEvents(send), note.length);
    // Asked again, because it may have been prolonged in between.
    return (await inHistory()) || (await isPending(send, note)) || inHistory();
  }

  const isBusy = (activity: string) => underWay >= mostAtOnce || (tookMs.get(activity) ?? 0) > slowMs;

  async function counted(run: Run): Promise<unknown> {
    underWay++;
    try {
      return await run();
    } finally {
      underWay--;
    }
  }

  /** It cannot be noted here. Where the history proves that nothing of it went out, it is left to an activity. */
  async function unnoted(send: Send, note: TaskNote): Promise<never> {
    if (isJustBegun(note) || isFirstTime(await newestEvents(send, eventsToReadMost), note.length)) throw left();
    throw unknown();
  }

  async function byJournal(journal: SendJournal, send: Send, note: TaskNote, activity: string, run: Run): Promise<unknown> {
    const found = isJustBegun(note) ? undefined : await journal.find(send.runId, send.place).catch(notNow);
    if (found === 'begun') throw unknown();
    if (found) return retold(found);
    if (!isQuickSend(activity)) {
      const answer = await run();
      await journal.end(send, { answer });
      return answer;
    }
    if (isBusy(activity)) throw left();
    let held: ApplicationFailure | undefined;
    const begin = async () => {
      const isOurs = await journal.begin(send).catch(() => void (held = left()));
      if (isOurs === false) held = unknown();
      // A process that stood still meanwhile is not the one that carries the run now.
      if (!isJustBegun(note) && !(await isStillOurs(send, note))) held = unknown();
      if (held) throw held;
    };
    const write = (told: Told) => void journal.end(send, told).catch(() => undefined);
    try {
      const answer = await noting(begin, () => counted(run));
      write({ answer });
      return answer;
    } catch (error) {
      if (held) throw held;
      if (error instanceof ApplicationFailure && error.type && error.details?.[0])
        write({ failed: error.type as AttemptFailure, note: error.details[0] as AttemptNote });
      throw error;
    }
  }

  return ({ info: { activityType, isLocal, workflowExecution } }) => ({
    inbound: {
      async execute(input, next) {
        if (!isRemembered(activityType)) return next(input);
        const run = async () => {
          const startedAt = performance.now();
          return next(input).finally(() => void tookMs.set(activityType, performance.now() - startedAt));
        };
        if (!workflowExecution) return run();
        if (!isLocal) {
          // The engine itself ends such an activity with its run: a journal that is away holds nothing up.
          const isStopped = ours && isQuickSend(activityType) && (await ours.isStopped(workflowExecution.runId).catch(() => false));
          if (isStopped) throw unknown();
          return run();
        }
        const { task: note } = executionContext();
        if (!note) throw unknown();
        const { nth, length } = note;
        const send = { ...workflowExecution, place: placeOf(activityType, nth), length };
        if (ours && note.journal === ours.id) return byJournal(ours, send, note, activityType, run);
        return isQuickSend(activityType) ? unnoted(send, note) : run();
      },
    },
  });
}

function retold(told: Told): unknown {
  if ('answer' in told) return told.answer;
  throw attemptFailure(told.failed, told.note);
}

/** The newest event comes first. A task may have been prolonged since, but nobody else has got it. */
export function isCarriedOn(events: readonly Event[], length: number): boolean {
  const since = events.filter(({ eventId }) => Number(eventId) > length);
  const isWhole = since.length < events.length;
  const isLost = since.some((event) => event.workflowTaskTimedOutEventAttributes ?? event.workflowTaskFailedEventAttributes);
  return Boolean(events[0]?.workflowTaskStartedEventAttributes) && isWhole && !isLost;
}

function isNewest([started]: readonly Event[], length: number): boolean {
  return Boolean(started?.workflowTaskStartedEventAttributes) && Number(started?.eventId) === length;
}

/**
 * In the task that it was asked for, and no task before it was lost: what was done in a lost one is not on record, even where the run has
 * come further since. A person's decision is made knowing that.
 */
export function isFirstTime(events: readonly Event[], length: number): boolean {
  if (!isNewest(events, length)) return false;
  for (const event of events) {
    const { workflowTaskTimedOutEventAttributes: timedOut, workflowTaskFailedEventAttributes: failed } = event;
    if (failed ?? (timedOut && timedOut.timeoutType !== nobodyTookIt)) return false;
    if (event.workflowExecutionUpdateAcceptedEventAttributes ?? event.workflowExecutionStartedEventAttributes) return true;
  }
  return false;
}
