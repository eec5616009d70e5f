import { setImmediate as breathe } from 'node:timers/promises';

/** After this many items the event loop gets its turn. */
const atOnce = 20;

/** Gives the items one after the other, and lets the event loop do its other work in between. */
export async function* withTurns<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let given = 0;
  for await (const item of items) {
    yield item;
    if (++given % atOnce === 0) await breathe();
  }
}
