import { setImmediate as breathe } from 'node:timers/promises';

/** After this many items, or this long, the event loop gets its turn. */
const atOnce = 20;
const mostMs = 10;

/** Gives the items one after the other, and lets the event loop do its other work in between. */
export async function* withTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let given = 0;
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (++given % atOnce !== 0 && performance.now() - since < mostMs) continue;
    await breathe();
    since = performance.now();
  }
}
