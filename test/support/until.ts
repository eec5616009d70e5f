/** Waits in tests until something holds. */
import { setTimeout as pause } from 'node:timers/promises';

/** Looks often at first, then ever less: what takes long is not made longer by those who look. */
const pauseMs = (lookedForMs: number) => Math.min(250, Math.max(20, lookedForMs / 5));

/** What `look` finds, as soon as it finds something; fails after the deadline. A throw counts as not yet. */
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
      const reason = last instanceof Error ? `; at last: ${last.message}` : '';
      throw new Error(`not within ${timeoutMs} ms: ${what}${reason}`, { cause: last });
    }
    await pause(pauseMs(lookedForMs));
  }
}

/** Tries until all expectations of `check` hold. If they never do, the error shows what the last try expected. */
export async function untilHolds(check: () => Promise<void>, what: string): Promise<void> {
  await until(async () => {
    await check();
    return true;
  }, what);
}
