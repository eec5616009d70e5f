/** Every time-out and retry of every activity, in one place. */
import { proxyActivities, proxyLocalActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ApiKey, Instance } from '../activities/clinicsys';
import { limitedQueue, type UpstreamName } from '../domain/hold';
import type { Rules } from '../domain/lead';
import type { quickSends } from '../domain/sends';
import { failedAttempt, wasLeft } from './attempt';

/** A first try that takes longer is left to a regular activity, so that a slow upstream does not hold the workflow's task. */
const quickMs = 3_000;
/** What the engine grants beyond the activity's own deadline, before it gives the worker up as dead. */
const graceMs = 2_000;
/** A watch asks the engine many things each time that it looks. */
const watchGraceMs = 30_000;

const untilGivenUp = (summary: string, timeoutMs: number) => ({
  summary,
  startToCloseTimeout: timeoutMs + graceMs,
  retry: { maximumAttempts: 1 },
});

/** What may be repeated: first inside the workflow's own task (fast), and when that fails as an activity that a person can see. */
export function repeatable(summary: string, timeoutMs: number, tries: number, queue: Queue = {}): Activities {
  if (tries > 0 || queue.taskQueue) return once(summary, timeoutMs, queue);
  return proxyLocalActivities<Activities>({ summary, startToCloseTimeout: Math.min(timeoutMs, quickMs), retry: { maximumAttempts: 1 } });
}

/** What goes on until it is done, however often that takes; each try does what the ones before have left. */
export const untilDone = (summary: string, timeoutMs: number): Activities =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: timeoutMs + graceMs,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });

/** What must not arrive twice: tried once, outside of the workflow's task, which may run again. */
export const once = (summary: string, timeoutMs: number, queue: Queue = {}): Activities =>
  proxyActivities<Activities>({ ...untilGivenUp(summary, timeoutMs), ...queue });

/** These see to it themselves that a workflow task which runs again does not send again (docs/decisions/0017). */
export type QuickSends = Pick<Activities, (typeof quickSends)[number]>;

interface How {
  /** Where the run's sends are noted. Without it they go out as ordinary activities. */
  readonly journal?: string;
  readonly tries: number;
  readonly queue?: Queue;
}

/** The same for them: the first try inside the workflow's own task, the others outside, and all where there is a queue to wait in. */
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

/** What lasts on purpose and says all the while that it lives: its worker's death is noticed soon. */
export function watching(summary: string, forMs: number): Activities {
  return proxyActivities<Activities>({
    summary,
    startToCloseTimeout: forMs + watchGraceMs,
    heartbeatTimeout: watchGraceMs,
    retry: { maximumAttempts: 1 },
  });
}

/** Empty: the workflow's own queue. */
export type Queue = Pick<ActivityOptions, 'taskQueue' | 'scheduleToStartTimeout' | 'priority'>;

interface Waiting {
  /** No longer than the run's patience. */
  readonly leftMs?: number;
  /** A hold let this one through to see whether the upstream is back: all the others wait for what it finds. */
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

/** `call` gets the new key where the one that it has was refused. */
export async function renewingKey<T>(rules: Rules, instance: Instance, call: (renewed?: ApiKey) => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (failedAttempt(error).type !== 'KEY_REFUSED') throw error;
    return call(await repeatable('key service: a new key', rules.keyTimeoutMs, 1, queueOf(rules, 'key-service')).getApiKey(instance, true));
  }
}
