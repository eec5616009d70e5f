/** Waits in tests until a condition holds. */
import { setTimeout as pause } from 'node:timers/promises';

/** Polls often at first, then less often, so that polling does not slow down a long wait. */
const pauseMs = (lookedForMs: number) => Math.min(250, Math.max(20, lookedForMs / 5));

/** Polls `look` until it returns a truthy value, and returns that. Fails after the time-out. An error counts as not yet. */
export async function until<T>(look: () => T | Promise<T>, what: string, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const startedAt = Date.now();
  let last: unknown;
  for (;;) {
    try {
      last = undefined;
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    const lookedForMs = Date.now() - startedAt;
    if (lookedForMs > timeoutMs) {
      const reason = last instanceof Error ? `; last error: ${last.message}` : '';
      throw new Error(`not within ${timeoutMs} ms: ${what}${reason}`, { cause: last });
    }
    await pause(pauseMs(lookedForMs));
  }
}

/** Repeats `check` until all its expectations hold. After the time-out, the error shows the last failure. */
export async function untilHolds(check: () => Promise<void>, what: string): Promise<void> {
  await until(async () => {
    await check();
    return true;
  }, what);
}
