import { createCircuitBreaker } from '../../src/activities/circuit-breaker';
import type { Destination } from '../../src/domain/hold';
import type { Outcome } from '../../src/domain/outcome';

const V1: Destination = { upstream: 'V1', instance: 'ERG/erg-oct' };
const unknown: Outcome<string> = { outcome: 'unknown', reason: 'answered 500' };
const limited: Outcome<string> = { outcome: 'not-sent', reason: 'asked us to slow down (429)', limited: true, retryAfterMs: 7_000 };
const delivered: Outcome<string> = { outcome: 'delivered', value: 'yes' };
const refused: Outcome<string> = { outcome: 'refused', status: 422, body: {} };

function gateAt() {
  let nowMs = 1_000_000;
  const asked: Outcome<string>[] = [];
  const breaker = createCircuitBreaker(() => nowMs);
  const ask = (outcome: Outcome<string>, pass = false, destination = V1) =>
    breaker(destination, pass, () => {
      asked.push(outcome);
      return Promise.resolve(outcome);
    });
  return { ask, asked, later: (ms: number) => void (nowMs += ms) };
}

it('lets nobody through after three failures in a row, and says since when and why', async () => {
  const { ask, asked } = gateAt();
  for (const outcome of [unknown, limited, limited]) await ask(outcome);
  expect(await ask(delivered)).toMatchObject({
    outcome: 'not-sent',
    held: { ...V1, failures: 3, failedAt: 1_000_000, retryAfterMs: 7_000 },
  });
  expect(asked).toHaveLength(3);
});

it.each([
  ['a delivery', delivered],
  ['a refusal', refused],
])('%s in between is an answer: the row begins anew', async (_name, answer) => {
  const { ask } = gateAt();
  for (const outcome of [unknown, unknown, answer, unknown, unknown]) await ask(outcome);
  expect(await ask(delivered)).toBe(delivered);
});

it('lets through who has had its turn, and everybody once that one was answered', async () => {
  const { ask } = gateAt();
  for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
  expect(await ask(unknown, true)).toBe(unknown);
  expect(await ask(delivered)).toMatchObject({ held: { failures: 4 } });
  expect(await ask(delivered, true)).toBe(delivered);
  expect(await ask(delivered)).toBe(delivered);
});

it('holds one instance and not the next', async () => {
  const { ask } = gateAt();
  for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
  expect(await ask(delivered, false, { ...V1, instance: 'ERG/erg-nov' })).toBe(delivered);
});

it('lets one through a minute after the last failure, should the hold have ended on another worker', async () => {
  const { ask, later } = gateAt();
  for (const outcome of [unknown, unknown, unknown]) await ask(outcome);
  later(60_000);
  expect(await ask(unknown)).toBe(unknown);
  expect(await ask(delivered)).toHaveProperty('held');
});
