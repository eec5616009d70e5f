import { setTimeout as pause } from 'node:timers/promises';

/** What `look` finds, as soon as it finds something; fails after the deadline. A throw counts as not yet. */
export async function until<T>(look: () => T | Promise<T>, what: string, timeoutMs = 20_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
    await pause(20);
  }
}
