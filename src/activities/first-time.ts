/**
 * Makes sure that a send inside a workflow's own task goes out once: the task may run again after a crash, and the send journal tells
 * whether it has sent before (docs/decisions/0002). A worker with another journal leaves the send to a regular activity, if the history
 * proves that no earlier task was lost. Without proof nothing is sent and the outcome is unknown, as for a send whose worker died.
 *
 * The same is true after a restore: a send that may have gone out since the copy, and whose result the copy does not have, is unknown
 * (docs/decisions/0002).
 */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { updateOf } from '../domain/lead';
import { taskAgain, type AttemptFailure, type AttemptNote } from '../domain/outcome';
import { isQuickSend, isRemembered, isWrite, placeOf, type Send, type SendJournal, type TaskNote, type Told } from '../domain/sends';
import { executionContext } from './execution-context';
import { attemptFailure, leftToActivity, noting } from './http';

type Event = temporal.api.history.v1.IHistoryEvent;
type Run = () => Promise<unknown>;

/** The most sends at once; more would keep other runs from their tasks. */
const mostAtOnce = 40;
/**
 * A run cannot be asked anything during such a send. If one took longer than this, the next one of its kind is left to a regular
 * activity.
 */
const slowMs = 1_000;
/** How many of the newest events of a history to read. */
const eventsToRead = 12;
const eventsToReadMost = 1_000;
/** The length of a history that holds only a run's first task. */
const firstTask = 3;
/** For this long no other worker can have the task: the engine hands it out again after ten seconds at the earliest. */
const certainForMs = 3_000;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: nobodyTookIt } = temporal.api.enums.v1.TimeoutType;
const { PENDING_WORKFLOW_TASK_STATE_STARTED: taskStarted } = temporal.api.enums.v1.PendingWorkflowTaskState;

const unknown = () => attemptFailure('UNKNOWN', { message: 'The worker stopped while this was on its way' });
const keptBack = () => attemptFailure('NOT_SENT', { message: 'Another worker may have its task, so this was not sent' });
const unknownSince = (copiedAt: number) =>
  attemptFailure('UNKNOWN', {
    message: `It was open in the copy of ${new Date(copiedAt).toISOString()}, which was restored`,
    notAsked: true,
  });
const again = (message: string) => ApplicationFailure.nonRetryable(message, taskAgain);
const notNow = () => {
  throw again('The send journal cannot be read now');
};
const isAgain = (error: unknown) => error instanceof ApplicationFailure && error.type === taskAgain;

const isWithin = (ms: number, one: number, other = Number.NaN) => Math.abs(one - other) < ms;

/**
 * True for a first task so young that no other worker can have had it. By the engine's clock it is no second try; by ours, this process
 * has not stood still since.
 */
const isJustBegun = ({ length, startedAt, taskStartedAt }: TaskNote) =>
  length === firstTask && isWithin(certainForMs, startedAt, taskStartedAt) && isWithin(certainForMs, startedAt, Date.now());

/** `copiedAt`: the moment of the copy that the stored runs were restored from, if they were. */
export function firstTimeOnly(client: Client, ours?: SendJournal, copiedAt?: number): ActivityInterceptorsFactory {
  const tookMs = new Map<string, number>();
  const carriedHere = new Map<string, Promise<unknown>>();
  let underWay = 0;

  async function newestEvents({ workflowId, runId }: Send, most = eventsToRead): Promise<readonly Event[]> {
    const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: most,
    });
    return history?.events ?? [];
  }

  /**
   * Asks the engine whether this task is pending. A task that was tried before, or that only an update has begun, is not in the history
   * until it ends.
   */
  async function isPending({ workflowId, runId }: Send, { taskStartedAt }: TaskNote): Promise<boolean> {
    const { namespace } = client.options;
    const { pendingWorkflowTask: task } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId, runId },
    });
    return task?.state === taskStarted && optionalTsToMs(task.startedTime) === taskStartedAt;
  }

  async function isStillOurs(send: Send, note: TaskNote): Promise<boolean> {
    if (isJustBegun(note)) return true;
    const inHistory = async () => isCarriedOn(await newestEvents(send), note.length);
    try {
      // Look again: the task may have sent a heartbeat in between.
      return (await inHistory()) || (await isPending(send, note)) || (await inHistory());
    } catch {
      // Without an answer there is no proof.
      return false;
    }
  }

  function assertNotSent(activity: string): void {
    if (copiedAt !== undefined && isWrite(activity) && (executionContext().sentSince ?? 0) <= copiedAt) throw unknownSince(copiedAt);
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

  /**
   * For a send that this worker cannot note. A regular activity gets it if no task can have been lost since the run's start, or since the
   * last decision.
   */
  async function unnoted(send: Send, note: TaskNote): Promise<never> {
    if (isJustBegun(note) || isFirstTime(await newestEvents(send, eventsToReadMost), note.length)) throw leftToActivity();
    throw unknown();
  }

  /**
   * After a time-out the engine runs a task again, perhaps in this process while its earlier try is under way. Then this try takes the
   * earlier one's result or failure, until the journal has it. It carries on only if the earlier one left the send to the next task.
   */
  async function onceHere(send: Send, carry: (noted: (written: Promise<void>) => void) => Promise<unknown>): Promise<unknown> {
    const key = `${send.runId} ${send.place}`;
    // An entry is deleted a moment after its promise is rejected.
    while (carriedHere.has(key)) {
      try {
        return await carriedHere.get(key);
      } catch (error) {
        if (!isAgain(error)) throw error;
      }
    }
    let written = Promise.resolve();
    const carried = carry((noted) => void (written = noted));
    carriedHere.set(key, carried);
    const forget = () => void written.finally(() => carriedHere.delete(key));
    carried.then(forget, forget);
    return carried;
  }

  async function byJournal(journal: SendJournal, send: Send, note: TaskNote, activity: string, run: Run): Promise<unknown> {
    const found = isJustBegun(note) ? undefined : await journal.find(send.runId, send.place).catch(notNow);
    if (found && found !== 'begun') return retold(found);
    return onceHere(send, async (noted) => {
      assertNotSent(activity);
      if (found) throw unknown();
      if (!isQuickSend(activity)) {
        const answer = await run();
        await journal.end(send, { answer });
        return answer;
      }
      if (isBusy(activity)) throw leftToActivity();
      let held: ApplicationFailure | undefined;
      const begin = async () => {
        // A task that was replaced notes nothing, so the one that replaced it may send.
        if (!(await isStillOurs(send, note))) throw (held = again('Another task may have replaced this one'));
        const isFirst = await journal.begin(send).catch(() => void (held = leftToActivity()));
        if (isFirst === false) held = unknown();
        if (held) throw held;
        // If this process stood still meanwhile, another worker may have the task now. The journal then says that this was not sent, so the
        // workflow may try again.
        if (!(await isStillOurs(send, note))) throw keptBack();
      };
      const write = (told: Told) => noted(journal.end(send, told).catch(() => undefined));
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
    });
  }

  return ({ info: { activityType, isLocal, workflowExecution } }) => ({
    inbound: {
      async execute(input, next) {
        if (!isRemembered(activityType)) {
          assertNotSent(activityType);
          return next(input);
        }
        const run = async () => {
          const startedAt = performance.now();
          return next(input).finally(() => void tookMs.set(activityType, performance.now() - startedAt));
        };
        if (!workflowExecution) return run();
        if (!isLocal) {
          // Erasure stops runs in the journal. If the journal does not answer, go on: the engine ends a regular activity with its run.
          const isStopped = ours && isQuickSend(activityType) && (await ours.isStopped(workflowExecution.runId).catch(() => false));
          if (isStopped) throw unknown();
          assertNotSent(activityType);
          return run();
        }
        const { task: note } = executionContext();
        if (!note) throw unknown();
        const { nth, length } = note;
        const send = { ...workflowExecution, place: placeOf(activityType, nth), length };
        if (ours && note.journal === ours.id) return byJournal(ours, send, note, activityType, run);
        assertNotSent(activityType);
        return isQuickSend(activityType) ? unnoted(send, note) : run();
      },
    },
  });
}

function retold(told: Told): unknown {
  if ('answer' in told) return told.answer;
  throw attemptFailure(told.failed, told.note);
}

/** True if the task is still ours. Events come newest first. The task may have sent heartbeats since, but no other worker has had it. */
export function isCarriedOn(events: readonly Event[], length: number): boolean {
  const since = events.filter(({ eventId }) => Number(eventId) > length);
  const isWhole = since.length < events.length;
  const isLost = since.some((event) => event.workflowTaskTimedOutEventAttributes ?? event.workflowTaskFailedEventAttributes);
  return Boolean(events[0]?.workflowTaskStartedEventAttributes) && isWhole && !isLost;
}

function isDecision({ workflowExecutionUpdateAcceptedEventAttributes: accepted }: Event): boolean {
  return Boolean(accepted) && accepted?.acceptedRequest?.input?.name !== updateOf({ verb: 'try' });
}

function isNewest([started]: readonly Event[], length: number): boolean {
  return Boolean(started?.workflowTaskStartedEventAttributes) && Number(started?.eventId) === length;
}

/**
 * True if this is the task that asked for the send, and no task before it was lost. The history shows that a task was lost, but not what
 * it sent. The check goes back to the start, or to the last decision about the parked lead: the person who decided knew of the doubt.
 */
export function isFirstTime(events: readonly Event[], length: number): boolean {
  if (!isNewest(events, length)) return false;
  for (const event of events) {
    const { workflowTaskTimedOutEventAttributes: timedOut, workflowTaskFailedEventAttributes: failed } = event;
    if (failed ?? (timedOut && timedOut.timeoutType !== nobodyTookIt)) return false;
    if (isDecision(event) || event.workflowExecutionStartedEventAttributes) return true;
  }
  return false;
}
