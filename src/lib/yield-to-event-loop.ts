import { setImmediate as breathe } from 'node:timers/promises';

/** The event loop continues after this many items, or after this long. */
const atOnce = 20;
const mostMs = 10;

/** Yields the items, and lets the event loop run other work in between. */
export async function* yieldToEventLoop<T>(items: Iterable<T>): AsyncGenerator<T> {
  let given = 0;
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (++given % atOnce !== 0 && performance.now() - since < mostMs) continue;
    await breathe();
    since = performance.now();
  }
}
