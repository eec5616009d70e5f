/**
 * The quick part of the fault suite: a few rows of its table with a fixed seed, on real processes. `npm run test:faults` runs all of it.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testEngine } from '../support/engine';
import { restoreDrill, type Drilled } from './restore';
import { run } from './run';
import { quick } from './table';
import { upstreamOf } from './upstream';

jest.setTimeout(180_000);

let tried: Awaited<ReturnType<typeof run>>;
let drilled: Drilled;

beforeAll(async () => {
  process.env.TEMPORAL_CLI_PATH = testEngine().executable;
  await promisify(execFile)(process.execPath, [join(__dirname, '../../scripts/bootstrap.mjs'), 'build']);
  tried = await run({
    ...{ names: quick, seed: 'quick', trials: 2, soak: 0, say: () => undefined, save: () => undefined },
    async after(stage) {
      await upstreamOf(stage).reset();
      drilled = await restoreDrill(stage, { seed: 'quick', round: 1, leads: 16, patienceMs: 6_000 });
    },
  });
});

it('no lead is lost, none is sent twice, and no answer lies', () => {
  expect(tried.isRight ? 'right' : tried.text).toBe('right');
});

it('nor when the machine is lost and a copy is restored', () => {
  expect(drilled.problems).toEqual([]);
});
