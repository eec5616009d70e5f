/**
 * How workflows call activities and read their errors: every time-out, retry and queue in one place. `repeatable` is for reads, `once` is for
 * sends and for slow work, `onceQuickly` is for quick sends, `untilDone` is for work that must finish, `posting` is for a post that may take
 * days, and `watching` is for long watches.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  TimeoutFailure,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ApiKey, Instance } from '../activities/clinicsys';
import { graceMs } from '../domain/deadlines';
import { limitedQueue, type BypassHold, type UpstreamName } from '../domain/hold';
import type { Rules } from '../domain/lead';
import { attemptFailures, notHere, taskAgain, type AttemptFailure, type AttemptNote } from '../domain/outcome';
import type { quickSends } from '../domain/sends';

/** A read that takes longer inside the workflow's own task is handed over, so that a slow upstream does not block the task. */
const quickMs = 3_000;
/** The grace of a watch, which asks the engine many things each time that it looks. */
const watchGraceMs = 30_000;

const untilGivenUp = (summary: string, timeoutMs: number) => ({
  summary,
  startToCloseTimeout: timeoutMs + graceMs,
  retry: { maximumAttempts: 1 },
});

/**
 * For what may be repeated. The first try begins inside the workflow's own task, because that is faster (`activities/hand-over.ts` tells
 * how a slow one goes on). Later tries, and all tries at an upstream with a limit, are regular activities.
 */
export function repeatable(summary: string, timeoutMs: number, tries: number, queue: Queue = {}): Activities {
  if (tries > 0 || queue.taskQueue) return once(summary, timeoutMs, queue);
  const whole = untilGivenUp(summary, timeoutMs);
  const local = proxyLocalActivities<Activities>({
    ...whole,
    startToCloseTimeout: Math.min(timeoutMs, quickMs) + graceMs,
    scheduleToCloseTimeout: whole.startToCloseTimeout,
  });
  const regular: Regular<Activities> = (left) => once(summary, timeoutMs, left);
  return new Proxy(local, {
    get:
      (_, name) =>
      (...given: unknown[]) =>
        orLeft((activities) => (Reflect.get(activities, name) as Called)(...given), local, regular),
  });
}

type Called = (...given: unknown[]) => Promise<unknown>;
type Regular<A> = (left: Left) => A;

/** Calls the local activity. If its error says that it was left, calls the regular one. */
async function orLeft<T, A>(ask: (activities: A) => Promise<T>, local: A, regular: Regular<A>): Promise<T> {
  try {
    return await ask(local);
  } catch (error) {
    const left = leftBy(error);
    if (!left) throw error;
    return ask(regular(left));
  }
}

/** For what must finish: retried without end. Each try does what the ones before have left. */
export const untilDone = (summary: string, timeoutMs: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs + graceMs,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });

interface Posting {
  readonly activityId: string;
  readonly taskQueue: string;
  /** The moment at which the activity gives up, in ms since 1970. */
  readonly giveUpAt: number;
}

/**
 * For a post that its receiver may refuse for days. The engine tries it again, with pauses of up to an hour, until the activity gives up.
 * If no worker runs the activity, the engine ends it an hour and a try after `giveUpAt`.
 */
export function posting(summary: string, timeoutMs: number, { activityId, taskQueue, giveUpAt }: Posting): Activities {
  const tryMs = timeoutMs + graceMs;
  const longestPauseMs = 3_600_000;
  return proxyActivities<Activities>({
    summary,
    activityId,
    taskQueue,
    startToCloseTimeout: tryMs,
    scheduleToCloseTimeout: Math.max(0, giveUpAt + longestPauseMs - Date.now()) + tryMs,
    retry: { initialInterval: 1_000, maximumInterval: longestPauseMs },
  });
}

/** For what must not arrive twice: tried once, outside of the workflow's task, because the engine may run that again. */
export const once = (summary: string, timeoutMs: number, options: Queue & Left = {}): Activities =>
  proxyActivities<Activities>({ ...untilGivenUp(summary, timeoutMs), ...options });

/** These activities check that a workflow task which runs again does not send again (docs/decisions/0002). */
export type QuickSends = Pick<Activities, (typeof quickSends)[number]>;

interface How {
  /** The journal that notes the run's sends. Without one they go out as regular activities. */
  readonly journal?: string;
  readonly tries: number;
  readonly queue?: Queue;
}

/**
 * Like `once`, but the first try of such a send runs inside the workflow's own task, if there is a journal and the upstream has no limit.
 */
export async function onceQuickly<T>(
  summary: string,
  timeoutMs: number,
  { journal, tries, queue }: How,
  ask: (activities: QuickSends) => Promise<T>,
): Promise<T> {
  if (journal === undefined || tries > 0 || queue?.taskQueue) return ask(once(summary, timeoutMs, queue));
  const local = proxyLocalActivities<Activities>(untilGivenUp(summary, timeoutMs));
  return orLeft<T, QuickSends>(ask, local, (left) => once(summary, timeoutMs, { ...queue, ...left }));
}

/** For a long watch that sends heartbeats, so that the death of its worker is noticed soon. */
export function watching(summary: string, forMs: number): Activities {
  return proxyActivities<Activities>({
    summary,
    startToCloseTimeout: forMs + watchGraceMs,
    heartbeatTimeout: watchGraceMs,
    retry: { maximumAttempts: 1 },
  });
}

/** The task queue in which an activity waits. Empty: the workflow's own. */
export type Queue = Pick<ActivityOptions, 'taskQueue' | 'scheduleToStartTimeout' | 'priority'>;

interface Waiting {
  /** The longest wait: what is left of the run's patience. */
  readonly leftMs?: number;
  /** True if a hold let this lead through. It goes first, because all others wait for its result. */
  readonly bypassHold?: BypassHold;
}

export function queueOf({ limited }: Rules, upstream: UpstreamName, { leftMs = Infinity, bypassHold }: Waiting = {}): Queue {
  if (!limited?.includes(upstream)) return {};
  return {
    taskQueue: limitedQueue(workflowInfo().taskQueue, upstream),
    ...(Number.isFinite(leftMs) && { scheduleToStartTimeout: Math.max(1, leftMs) }),
    ...(bypassHold && { priority: { priorityKey: 1 } }),
  };
}

/** Runs `call`. If the upstream refused the access key, runs it once more with a new one. */
export async function renewingKey<T>(rules: Rules, instance: Instance, call: (renewed?: ApiKey) => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (failedAttempt(error).type !== 'KEY_REFUSED') throw error;
  }
  const ask = once('key service: a new key', rules.keyTimeoutMs, queueOf(rules, 'key-service'));
  return call(await ask.getApiKey(instance, true).catch(asNotSent));
}

/** The upstream has refused the request, so if no new key came, nothing was sent. */
function asNotSent(error: unknown): never {
  const { type, ...note } = failedAttempt(error);
  throw type === 'UNKNOWN' ? attemptError('NOT_SENT', note) : error;
}

/** A failure of an attempt that the workflow itself finds, in the form in which activities report one. */
export const attemptError = (type: AttemptFailure, note: AttemptNote): ApplicationFailure =>
  ApplicationFailure.create({ type, message: note.message, nonRetryable: true, details: [note] });

export interface FailedAttempt extends AttemptNote {
  readonly type: AttemptFailure;
}

const isKnown = (type: unknown): type is AttemptFailure => attemptFailures.some((known) => known === type);

/** A local activity throws its own error; a regular one wraps it. */
const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** The id of the regular activity that follows. A read that was handed over names it; a send that did not begin does not. */
type Left = Pick<ActivityOptions, 'activityId'>;

function leftBy(error: unknown): Left | undefined {
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure) || cause.type !== notHere) return undefined;
  const [activityId] = (cause.details ?? []) as string[];
  return activityId === undefined ? {} : { activityId };
}

/** Anything that we did not name ourselves has an unknown outcome: a time-out, a dead worker, a bug. */
export function failedAttempt(error: unknown): FailedAttempt {
  if (isCancellation(error)) throw error;
  const cause = causeOf(error);
  // Fail the workflow task only, not the run: the engine hands the task out again.
  if (cause instanceof ApplicationFailure && cause.type === taskAgain) throw new Error(cause.message);
  if (cause instanceof ApplicationFailure && isKnown(cause.type)) {
    const note = cause.details?.[0] as AttemptNote | undefined;
    return { ...note, type: cause.type, message: note?.message ?? cause.message };
  }
  // No worker took the request from the queue, so nothing was sent.
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START')
    return { type: 'NOT_SENT', limited: true, message: "Its turn did not come in time before the upstream's limit" };
  return { type: 'UNKNOWN', message: 'The step ended without saying what became of it' };
}

/** For `catch`: ignores any error but the cancellation of the run. */
export function unlessCancelled(error: unknown): undefined {
  if (isCancellation(error)) throw error;
}
