/**
 * Hands over what outlasts its time inside the workflow's own task: it goes on, and the regular activity that follows takes its result.
 * So a slow upstream is asked once, has its full time, and does not seem to fail. A regular activity on another worker asks again.
 *
 * The error that ends the local activity names the regular one, so no other activity takes the result: it may be old by then.
 */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { graceMs } from '../domain/deadlines';
import { leftToActivity } from './http';

/** An outcome that nobody takes is forgotten after this time. */
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

/** True if it settles within this time. */
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
