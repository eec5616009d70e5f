/** Every time-out and retry of every activity, in one place. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { Queue } from './queue';

/** A first try that takes longer is left to a regular activity, so that a slow upstream does not hold the workflow's task. */
const quickMs = 3_000;
/** What the engine grants beyond the activity's own deadline, before it gives the worker up as dead. */
const graceMs = 2_000;
/** A watch asks the engine many things each time that it looks. */
const watchGraceMs = 30_000;

/** What may be repeated: first inside the workflow's own task (fast), and when that fails as an activity that a person can see. */
export function repeatable(summary: string, timeoutMs: number, tries: number, queue: Queue = {}): Activities {
  if (tries > 0 || queue.taskQueue) return once(summary, timeoutMs, queue);
  return proxyLocalActivities<Activities>({ summary, startToCloseTimeout: Math.min(timeoutMs, quickMs), retry: { maximumAttempts: 1 } });
}

/** What must not arrive twice: tried once, never inside a workflow task, which may run again. */
export function once(summary: string, timeoutMs: number, queue: Queue = {}): Activities {
  return proxyActivities<Activities>({ summary, startToCloseTimeout: timeoutMs + graceMs, retry: { maximumAttempts: 1 }, ...queue });
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
