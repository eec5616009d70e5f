/** A worker sends to an upstream only if it knows that no person has paused it, and it knows that for a moment only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { send } from '../../src/activities/http';
import { remembered, stoppedByPauses } from '../../src/activities/pauses';
import { outcomeOf, type Attempt } from '../../src/domain/outcome';
import { pausesKnownForMs, type BypassHold, type Destination, type Pause } from '../../src/domain/hold';

const V1: Destination = { upstream: 'V1', instance: 'ERG/erg-oct' };
const pauseOf = (upstream: Pause['upstream'], instance = ''): Pause => ({
  upstream,
  instance,
  since: '2026-11-23T12:00:00Z',
  by: 'ops',
  reason: 'a test',
});

function workerAt() {
  const state = { nowMs: 0, slowMs: 0, isAway: false, pauses: [] as readonly Pause[], reads: 0 };
  const read = async () => {
    state.reads++;
    if (state.isAway) throw new Error('the engine is away');
    const { pauses } = state;
    state.nowMs += state.slowMs;
    return pauses;
  };
  const breaker = stoppedByPauses(
    (_destination, _bypassHold, exchange) => exchange(),
    remembered(read, () => state.nowMs),
  );
  const send = (bypassHold: BypassHold = false, destination = V1) =>
    breaker(destination, bypassHold, async () => ({ outcome: 'delivered', value: 'yes' }));
  return { state, breaker, send };
}

it.each([
  ['its instance', pauseOf('V1', 'ERG/erg-oct'), 'not-sent'],
  ['its whole upstream', pauseOf('V1'), 'not-sent'],
  ['another instance', pauseOf('V1', 'ERG/other'), 'delivered'],
  ['another upstream', pauseOf('V2'), 'delivered'],
])('%s is paused', async (_name, pause, outcome) => {
  const { state, send } = workerAt();
  state.pauses = [pause];
  expect((await send()).outcome).toBe(outcome);
});

it('a pause stops also a lead that its hold has let through, but neither a call nor a look-up', async () => {
  const { state, send } = workerAt();
  state.pauses = [pauseOf('V1')];
  expect(await send(true)).toMatchObject({
    outcome: 'not-sent',
    reason: expect.stringContaining('is paused by ops'),
    held: { pause: pauseOf('V1') },
  });
  expect((await send('pause-too')).outcome).toBe('delivered');
});

it('asks the engine again once the answer is old', async () => {
  const { state, send } = workerAt();
  for (let sent = 0; sent < 3; sent++) await send();
  state.pauses = [pauseOf('V1')];
  state.nowMs = pausesKnownForMs - 1;
  expect([(await send()).outcome, state.reads]).toEqual(['delivered', 1]);
  state.nowMs = pausesKnownForMs;
  expect([(await send()).outcome, state.reads]).toEqual(['not-sent', 2]);
});

it('a pause that comes while the connection is made stops the lead', async () => {
  const { state, breaker } = workerAt();
  let requests = 0;
  const server = createServer((_, response) => response.end(String(++requests))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const outcome = await breaker(V1, false, async (lastLook) => {
    state.pauses = [pauseOf('V1')];
    state.nowMs = pausesKnownForMs;
    const call = { method: 'POST', url, headers: {}, timeoutMs: 10_000 } as const;
    const sent = new MockActivityEnvironment().run<[], Attempt, () => Promise<Attempt>>(() => send(call, lastLook));
    return outcomeOf(await sent, () => ({ accepted: 'yes' }));
  });
  server.close();
  expect([outcome, requests]).toMatchObject([{ outcome: 'not-sent', held: { pause: pauseOf('V1') } }, 0]);
});

it('sends nothing while the engine does not answer, or answers so late that the answer is old', async () => {
  const { state, send } = workerAt();
  state.isAway = true;
  expect(await send()).toMatchObject({ outcome: 'not-sent', reason: expect.stringContaining('the engine does not tell') });
  state.isAway = false;
  state.slowMs = pausesKnownForMs;
  expect((await send()).outcome).toBe('not-sent');
  state.slowMs = 0;
  expect((await send()).outcome).toBe('delivered');
});

it('leads that come at once share one question', async () => {
  const { state, send } = workerAt();
  await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(state.reads).toBe(1);
});
