/**
 * Sets how workflows call activities: every time-out, retry and task queue. `reading` is for reads of an upstream, `once` for sends,
 * `setting` for idempotent writes, `quickly` for short work of the service itself, `severalTimes` and `untilDone` for work that is retried,
 * `posting` for a post that may take days, `polling` for checks, and `notifying` and `notifyingOnce` for messages to operators.
 */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ApiKey, Instance } from '../activities/clinicsys';
import { graceMs, heartbeatTimeoutMs, quickReadMs } from '../domain/deadlines';
import { limitedQueue } from '../domain/limits';
import type { UpstreamName } from '../domain/upstreams';
import { attemptError, failedAttempt } from './failures';
import type { Rules } from '../domain/lead-input';
import type { Try } from './step';

/** The task queue in which an activity waits. Empty: the workflow's own. */
type Queue = Pick<ActivityOptions, 'taskQueue' | 'scheduleToStartTimeout' | 'priority'>;

/** Requests to an upstream with a limit wait in a separate task queue, for at most the time that the run has left. */
function queueOf({ rules, upstream }: RequestTarget, { leftMs, bypassHold }: Try): Queue {
  if (upstream === undefined || !rules?.limited?.includes(upstream)) return {};
  return {
    taskQueue: limitedQueue(workflowInfo().taskQueue, upstream),
    ...(Number.isFinite(leftMs) && { scheduleToStartTimeout: Math.max(1, leftMs) }),
    ...(bypassHold && { priority: { priorityKey: 1 } }),
  };
}

/** For a look-up outside of a step: one try in a regular activity, without a time limit, past holds and pauses. */
export const lookUp: Try = { tries: 1, leftMs: Infinity, bypassHold: 'pause-too' };

/** Where a request goes: the run's rules, the upstream and the time that it may take. */
export interface RequestTarget {
  /** Absent if no upstream is asked. */
  readonly rules?: Rules;
  readonly upstream?: UpstreamName;
  readonly timeoutMs: number;
}

const activityOptions = (summary: string, timeoutMs: number) => ({
  summary,
  startToCloseTimeout: timeoutMs + graceMs,
  heartbeatTimeout: heartbeatTimeoutMs,
});

/**
 * For a request that must not arrive twice: the engine starts the activity once. A cancelled run waits for its end: a request on the wire
 * is completed, and one that has not gone out is not sent.
 */
export const once = (summary: string, target: RequestTarget, attempt: Try = lookUp): Activities =>
  proxyActivities<Activities>({
    ...activityOptions(summary, target.timeoutMs),
    ...queueOf(target, attempt),
    retry: { maximumAttempts: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });

/**
 * For a read of an upstream. The first try is a local activity with a short time-out, because that is faster. The second is a regular
 * activity that is tried once. From the third on, the engine retries it while the run has time.
 */
export function reading(summary: string, target: RequestTarget, attempt: Try): Activities {
  const { tries, leftMs, bypassHold } = attempt;
  const queue = queueOf(target, attempt);
  const askMs = Math.min(target.timeoutMs, leftMs);
  if (tries === 0 && bypassHold !== true && !queue.taskQueue) return quickly(summary, Math.min(askMs, quickReadMs));
  const isRetried = tries > 1 && bypassHold !== true;
  return proxyActivities<Activities>({
    ...activityOptions(summary, askMs),
    ...queue,
    // An abandoned read does no harm.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    ...(isRetried && Number.isFinite(leftMs) && { scheduleToCloseTimeout: leftMs + graceMs }),
    retry: isRetried ? { initialInterval: 1_000, maximumInterval: 60_000 } : { maximumAttempts: 1 },
  });
}

/** For an idempotent write: the engine retries it while the caller waits. */
export const setting = (summary: string, timeoutMs: number, leftMs: number): Activities =>
  proxyActivities<Activities>({
    ...activityOptions(summary, Math.min(timeoutMs, leftMs)),
    scheduleToCloseTimeout: leftMs + graceMs,
    retry: { initialInterval: 1_000, maximumInterval: 4_000 },
  });

/** For short work that may be repeated: a local activity, tried once. */
export const quickly = (summary: string, timeoutMs: number): Activities =>
  proxyLocalActivities<Activities>({ summary, startToCloseTimeout: timeoutMs, retry: { maximumAttempts: 1 } });

/** For work that must finish: retried without end. Each try continues where the one before stopped. */
export const untilDone = (summary: string, timeoutMs: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs + graceMs,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });

/** For work that fails after some tries. */
export const severalTimes = (summary: string, timeoutMs: number, maximumAttempts: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs + graceMs,
    retry: { initialInterval: 1_000, maximumInterval: 15_000, maximumAttempts },
  });

interface Posting {
  readonly activityId: string;
  readonly taskQueue: string;
  /** The moment at which the activity gives up, in ms since 1970. */
  readonly giveUpAt: number;
}

/**
 * For a post that its receiver may refuse for days. The engine retries it, with pauses of up to an hour, until the activity gives up. If
 * no worker runs the activity, the engine ends it an hour and a try after `giveUpAt`.
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

/** For a check that repeats until there is news: until then the activity fails, and the engine retries it. Retries add no events. */
export const polling = (summary: string, timeoutMs: number, everyMs: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs,
    retry: { initialInterval: everyMs, backoffCoefficient: 1 },
  });

/** Longer than all requests of one message together. */
const notifyMs = 120_000;

/** For a message to an operator. The engine retries it, with pauses of up to a quarter of an hour, for a day. */
export const notifying = (summary: string, maximumAttempts = Infinity, nonRetryableErrorTypes: string[] = []): Activities =>
  proxyActivities<Activities>({
    ...activityOptions(summary, notifyMs),
    scheduleToCloseTimeout: '1 day',
    retry: { initialInterval: 1_000, backoffCoefficient: 4, maximumInterval: 900_000, maximumAttempts, nonRetryableErrorTypes },
  });

/** Failures that leave the outcome unknown, among them the engine's names for the time-outs of a try. */
const unknownOutcomes: readonly string[] = ['UNKNOWN', 'TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'];

/** The same for a message that must not arrive twice: retried only with proof that it did not arrive. */
export const notifyingOnce = (summary: string, maximumAttempts?: number): Activities =>
  notifying(summary, maximumAttempts, [...unknownOutcomes]);

/** Runs `call`. If the upstream refused the access key, runs it once more with a new one. */
export async function renewingKey<T>(rules: Rules, instance: Instance, attempt: Try, call: (renewed?: ApiKey) => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (failedAttempt(error).type !== 'KEY_REFUSED') throw error;
  }
  const renew = once('key service: a new key', { rules, upstream: 'key-service', timeoutMs: rules.keyTimeoutMs }, attempt);
  return call(await renew.getApiKey(instance, true).catch(throwNotSent));
}

/** The upstream has refused the request, so without a new key nothing was sent. */
function throwNotSent(error: unknown): never {
  const { type, ...note } = failedAttempt(error);
  throw type === 'UNKNOWN' ? attemptError('NOT_SENT', note) : error;
}
