/** What the files of a process leave to each other. */
import { AsyncResource } from 'node:async_hooks';

it('a test file finds no AsyncLocalStorage of an earlier file in use', () => {
  // Before Node 24 each store in use puts a key of its own on everything that is asynchronous; one is Jest's own for this test.
  const keys = Object.getOwnPropertySymbols(new AsyncResource('any')).filter(({ description }) => description === 'kResourceStore');
  expect(keys.length).toBeLessThanOrEqual(1);
});

it('nothing hears of the tests of this file but what was made for it', () => {
  const handlers = (globalThis as unknown as Record<symbol, readonly unknown[]>)[Symbol.for('EVENT_HANDLERS')] ?? [];
  // Two of Jest's own, and four for each file.
  expect(handlers.length).toBeGreaterThan(2);
  expect(handlers.length).toBeLessThanOrEqual(6);
});
