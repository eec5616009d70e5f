/**
 * Hands over a local activity that takes long: its request goes on, and the regular activity that follows takes the result. So a slow
 * upstream is asked once, has its full time, and does not seem to fail. If another worker runs the regular activity, it asks again.
 *
 * The local activity's error names the one regular activity that may take the result. Any other could get an old result.
 */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { graceMs } from '../domain/deadlines';
import { leftToActivity } from './http';

/** The worker forgets a result this long after it came. */
const keptMs = 60_000;

export function handOver(): ActivityInterceptorsFactory {
  const handed = new Map<string, Promise<unknown>>();

  function keep(key: string, running: Promise<unknown>): void {
    handed.set(key, running);
    const forget = () => void setTimeout(() => handed.delete(key), keptMs).unref();
    running.then(forget, forget);
  }

  return ({ info: { activityId, isLocal, startToCloseTimeoutMs, scheduleToCloseTimeoutMs, workflowExecution } }) => ({
    inbound: {
      async execute(input, next) {
        const keyOf = (id: string) => `${workflowExecution?.runId} ${id}`;
        if (!isLocal) return handed.get(keyOf(activityId)) ?? next(input);
        const running = next(input);
        const hasAllItsTime = scheduleToCloseTimeoutMs <= startToCloseTimeoutMs;
        if (hasAllItsTime || (await isOverWithin(running, startToCloseTimeoutMs - graceMs))) return running;
        const nextId = `handed-over-${activityId}`;
        keep(keyOf(nextId), running);
        throw leftToActivity(nextId);
      },
    },
  });
}

/** True if the activity ends within this time, well or not. */
async function isOverWithin(running: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const settled = () => true;
  try {
    return await Promise.race([running.then(settled, settled), isOver]);
  } finally {
    clearTimeout(timer);
  }
}
