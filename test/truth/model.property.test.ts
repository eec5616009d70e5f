/** Tests random sequences of posts, repeats, redrives, erasures and reads: no answer contradicts another or the simulators. */
import * as fc from 'fast-check';
import { underLoad } from '../support/background';
import { sameInstallation, startGateway, type Gateway } from '../support/gateway';
import { createModel, type ModelStep, type World } from './model';

const gateway = underLoad();

const limitMs = 8_000;
const person = fc.nat({ max: 2 });
const lead = fc.nat({ max: 9 });
const post = fc.record({
  kind: fc.constant('post' as const),
  person,
  flow: fc.constantFrom('no-prescreen' as const, 'with-prescreen' as const),
  instance: fc.constantFrom('well' as const, 'well' as const, 'slow' as const, 'failing' as const),
  variant: fc.nat({ max: 1 }),
  key: fc.option(fc.nat({ max: 1 }), { nil: undefined }),
});
const step: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 8, arbitrary: post },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('get' as const), lead }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redrive' as const), lead }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('list' as const), person }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('counts' as const), person }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), person }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'takeover' as const }) },
);

/** Another API on the same engine replaces the previous one. */
async function inWorld(play: (world: World) => Promise<void>) {
  const settings = { ...sameInstallation(gateway()), SYNC_WAIT_MS: '60000' };
  let current: Gateway | undefined;
  const takeOver = async () => {
    await current?.stop();
    return (current = await startGateway({ withoutWorker: true, settings }));
  };
  try {
    await play({ gateway: gateway(), api: gateway(), takeOver });
  } finally {
    await current?.stop();
  }
}

/** A started sequence always completes; after the deadline, none is started. */
const storyUntil = (deadline: number) =>
  fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    if (Date.now() > deadline) return;
    await inWorld(async (world) => {
      const model = createModel(world);
      for (const one of steps) await model.take(one);
      await model.judge();
    });
  });

it.concurrent.each([
  ['a fixed seed', 20_261_123],
  ['a new seed, which a failure prints', Date.now() % 1_000_000_000],
])('no answer contradicts earlier answers or the simulators: %s', async (_, seed) => {
  await fc.assert(storyUntil(Date.now() + limitMs), { seed, numRuns: 12, endOnFailure: true, includeErrorInReport: true });
});
