/**
 * The quick part of the fault suite: a few rows of its table with a fixed seed, on real processes. `npm run test:faults` runs all of it.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testEngine } from '../support/engine';
import { restoreDrill } from './restore';
import { run, within } from './run';
import { quick } from './table';

jest.setTimeout(180_000);

beforeAll(async () => {
  process.env.TEMPORAL_CLI_PATH = testEngine().executable;
  await promisify(execFile)(process.execPath, [join(__dirname, '../../scripts/bootstrap.mjs'), 'build']);
});

it('no lead is lost, none is sent twice, and no answer lies', async () => {
  const { text, isRight } = await run({ names: quick, seed: 'quick', trials: 2, soak: 0, say: () => undefined, save: () => undefined });
  expect(isRight ? 'right' : text).toBe('right');
});

it('nor when the machine is lost and a copy is restored', async () => {
  await within({}, async (stage) => {
    const { problems } = await restoreDrill(stage, { seed: 'quick', round: 1, leads: 16, patienceMs: 6_000 });
    expect(problems).toEqual([]);
  });
});
