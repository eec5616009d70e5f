/** What the state of the pauses keeps, and for how long. */
import { changed, forgetsInMs, forgetting, isEmpty, noPauses, pastChangeKeptMs, pastChangesMost } from '../../src/domain/pauses';
import type { PauseChange } from '../../src/domain/hold';

const startMs = Date.parse('2026-11-01T00:00:00Z');
const order = { orderId: 'o1', orderDigest: 'd1', keptUntil: startMs + 60_000 };
const change = (verb: PauseChange['verb'], reason: string, more = {}): PauseChange => ({
  verb,
  upstream: 'V1',
  instance: '',
  reason,
  keyFingerprint: 'k1',
  ...more,
});
const pausedOnce = changed(noPauses, change('pause', 'an update', { by: 'ops', order }), startMs);
const resumed = changed(pausedOnce, change('resume', 'it is updated'), startMs + 1_000);

it('a pause and its resume are both kept, the newest first', () => {
  expect(pausedOnce.paused).toEqual([{ upstream: 'V1', instance: '', since: '2026-11-01T00:00:00.000Z', by: 'ops', reason: 'an update' }]);
  expect(resumed).toEqual({
    paused: [],
    orders: [order],
    changes: [
      { verb: 'resume', upstream: 'V1', instance: '', at: '2026-11-01T00:00:01.000Z', reason: 'it is updated' },
      { verb: 'pause', upstream: 'V1', instance: '', at: '2026-11-01T00:00:00.000Z', by: 'ops', reason: 'an update' },
    ],
  });
});

it('the oldest change goes when there are too many', () => {
  const reasons = Array.from({ length: pastChangesMost + 1 }, (_, at) => `reason ${at}`);
  const { changes } = reasons.reduce((state, reason, at) => changed(state, change('pause', reason), startMs + at), noPauses);
  expect(changes.map(({ reason }) => reason)).toEqual(reasons.slice(1).toReversed());
});

it('each order and each change is forgotten at its time, and a pause never', () => {
  expect(forgetsInMs(resumed, startMs)).toBe(60_000);
  const afterOrder = forgetting(resumed, order.keptUntil);
  expect([afterOrder.orders, afterOrder.changes]).toEqual([[], resumed.changes]);
  expect(forgetsInMs(afterOrder, startMs)).toBe(pastChangeKeptMs);
  const afterFirst = forgetting(afterOrder, startMs + pastChangeKeptMs);
  expect(afterFirst.changes).toEqual(resumed.changes.slice(0, 1));
  expect(isEmpty(afterFirst)).toBe(false);
  expect(isEmpty(forgetting(afterFirst, startMs + 1_000 + pastChangeKeptMs))).toBe(true);
  expect(forgetting(pausedOnce, startMs + pastChangeKeptMs)).toEqual({ ...pausedOnce, orders: [], changes: [] });
});

it('a new change forgets the old ones', () => {
  const later = changed(resumed, change('pause', 'once more'), startMs + 2 * pastChangeKeptMs);
  expect([later.orders, later.changes.map(({ reason }) => reason)]).toEqual([[], ['once more']]);
});
