/** Where a request waits for its turn when its upstream has a limit. What waits there is not sent yet, and no time-out of a send runs. */
import { workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { UpstreamName } from '../domain/hold';
import type { Rules } from '../domain/lead';
import { limitedQueue } from '../domain/limits';

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
