/**
 * How workflows call activities: every time-out, retry and queue in one place. `repeatable` is for reads, `once` and `onceQuickly` are
 * for sends, `untilDone` is for work that must finish, and `watching` is for long watches. `queueOf` names the queue of an upstream with
 * a limit; `renewingKey` repeats a call with a new access key.
 */
import { proxyActivities, proxyLocalActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ApiKey, Instance } from '../activities/clinicsys';
import { limitedQueue, type UpstreamName } from '../domain/hold';
import type { Rules } from '../domain/lead';
import type { quickSends } from '../domain/sends';
import { failedAttempt, wasLeft } from './attempt';

/** A first try that takes longer moves to a regular activity, so that a slow upstream does not block the workflow's task. */
const quickMs = 3_000;
/** The time beyond the activity's own deadline after which the engine gives the worker up as dead. */
const graceMs = 2_000;
/** The same for a watch, which asks the engine many things each time that it looks. */
const watchGraceMs = 30_000;

const untilGivenUp = (summary: string, timeoutMs: number) => ({
  summary,
  startToCloseTimeout: timeoutMs + graceMs,
  retry: { maximumAttempts: 1 },
});

/** For what may be repeated. The first try runs inside the workflow's own task, which is fast; later tries are regular activities. */
export function repeatable(summary: string, timeoutMs: number, tries: number, queue: Queue = {}): Activities {
  if (tries > 0 || queue.taskQueue) return once(summary, timeoutMs, queue);
  return proxyLocalActivities<Activities>({ summary, startToCloseTimeout: Math.min(timeoutMs, quickMs), retry: { maximumAttempts: 1 } });
}

/** For what must finish: retried without end. Each try does what the ones before have left. */
export const untilDone = (summary: string, timeoutMs: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs + graceMs,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });

/** For what must not arrive twice: tried once, outside of the workflow's task, because the engine may run that again. */
export const once = (summary: string, timeoutMs: number, queue: Queue = {}): Activities =>
  proxyActivities<Activities>({ ...untilGivenUp(summary, timeoutMs), ...queue });

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
  if (journal !== undefined && tries === 0 && !queue?.taskQueue) {
    try {
      return await ask(proxyLocalActivities<Activities>(untilGivenUp(summary, timeoutMs)));
    } catch (error) {
      if (!wasLeft(error)) throw error;
    }
  }
  return ask(once(summary, timeoutMs, queue));
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
  readonly bypassHold?: boolean;
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
    return call(await repeatable('key service: a new key', rules.keyTimeoutMs, 1, queueOf(rules, 'key-service')).getApiKey(instance, true));
  }
}
