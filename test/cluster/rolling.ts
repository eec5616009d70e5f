/** Checks that callers notice nothing when a new version is rolled out, or a machine dies, while leads come in. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Act } from '../faults/acts';
import { randomOf } from '../faults/random';
import { broken, isBroken } from '../faults/report';
import { soak } from '../faults/soak';
import type { Pair, Stage } from '../faults/stage';
import { found, judge, underLoad, type Found } from './check';

const betweenMs = 1_500;
const perS = 5;

/** One pair after the other: told to stop, and started again when it has. */
export async function rollingRestart(stage: Stage): Promise<Found> {
  const told = await underLoad(stage, { perS, least: 60 }, async () => {
    for (const { api, worker } of stage.pairs) {
      await pause(betweenMs);
      await api.terminate();
      await worker.terminate();
      await Promise.all([api.start(), worker.start()]);
    }
    await pause(betweenMs);
  });
  await stage.heal();
  return found('rolling restart', told, await judge(stage, told));
}

export async function killedPair(stage: Stage, seed: string): Promise<Found> {
  const random = randomOf(seed, 'killed pair');
  const { api, worker } = random.pick(stage.pairs);
  const told = await underLoad(stage, { perS, least: 60 }, async () => {
    await pause(random.between(1_500, 3_000));
    await Promise.all([api.kill(), worker.kill()]);
    await pause(random.between(2_000, 4_000));
  });
  await stage.heal();
  return found('killed pair', told, await judge(stage, told));
}

type Copy = keyof Pick<Pair, 'worker' | 'api'>;

const killedLater =
  (pair: number, ...names: readonly Copy[]): Act =>
  async ({ stage, random }) => {
    const copies = stage.pairs[pair];
    if (copies) await Promise.all(names.map((name) => copies[name].kill()));
    await pause(random.between(0, 4_000));
  };

/** Of two pairs one at least is always whole; now and then both workers or both APIs go at once. */
const kills: readonly (readonly [string, Act])[] = [
  ['worker 1', killedLater(0, 'worker')],
  ['worker 2', killedLater(1, 'worker')],
  ['API 1', killedLater(0, 'api')],
  ['API 2', killedLater(1, 'api')],
  ['pair 1', killedLater(0, 'worker', 'api')],
  ['pair 2', killedLater(1, 'worker', 'api')],
  ['both workers', async ({ stage }) => stage.parts.worker.kill()],
  ['both APIs', async ({ stage }) => stage.parts.api.kill()],
];

/** Thousands of leads while processes are killed at random, for as long as it takes. */
export async function longRun(
  stage: Stage,
  { seed, leads, say }: { seed: string; leads: number; say(line: string): void },
): Promise<Found> {
  const { verdicts, notes } = await soak(stage, { seed, chains: leads, say, acts: kills, loadMostMs: Infinity });
  const bad = verdicts.filter(isBroken).length;
  return {
    line: `${verdicts.length} leads, ${bad} lost, doubled or answered falsely; ${notes.join('; ')}`,
    problems: broken('kills', verdicts),
  };
}
