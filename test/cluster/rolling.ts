/** Checks that callers get no error if a new version is rolled out, or a machine fails, under load. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultAction } from '../faults/actions';
import { randomOf } from '../faults/random';
import { violationLines, isViolation } from '../faults/report';
import { soak } from '../faults/soak';
import type { Pair, Stage } from '../faults/stage';
import { summarize, judge, sendDuring, type CheckResult } from './check';

const betweenMs = 1_500;
const perS = 5;

/** Restarts one pair after the other. */
export async function rollingRestart(stage: Stage): Promise<CheckResult> {
  const sentLeads = await sendDuring(stage, { perS, least: 60 }, async () => {
    for (const { api, worker } of stage.pairs) {
      await pause(betweenMs);
      await api.terminate();
      await worker.terminate();
      await Promise.all([api.start(), worker.start()]);
    }
    await pause(betweenMs);
  });
  await stage.heal();
  return summarize('rolling restart', sentLeads, await judge(stage, sentLeads));
}

export async function killedPair(stage: Stage, seed: string): Promise<CheckResult> {
  const random = randomOf(seed, 'killed pair');
  const { api, worker } = random.pick(stage.pairs);
  const sentLeads = await sendDuring(stage, { perS, least: 60 }, async () => {
    await pause(random.between(1_500, 3_000));
    await Promise.all([api.kill(), worker.kill()]);
    await pause(random.between(2_000, 4_000));
  });
  await stage.heal();
  return summarize('killed pair', sentLeads, await judge(stage, sentLeads));
}

type Copy = keyof Pick<Pair, 'worker' | 'api'>;

const killedLater =
  (pair: number, ...names: readonly Copy[]): FaultAction =>
  async ({ stage, random }) => {
    const copies = stage.pairs[pair];
    if (copies) await Promise.all(names.map((name) => copies[name].kill()));
    await pause(random.between(0, 4_000));
  };

/** Usually one of the two pairs stays complete; sometimes both workers or both APIs are killed at once. */
const kills: readonly (readonly [string, FaultAction])[] = [
  ['worker 1', killedLater(0, 'worker')],
  ['worker 2', killedLater(1, 'worker')],
  ['API 1', killedLater(0, 'api')],
  ['API 2', killedLater(1, 'api')],
  ['pair 1', killedLater(0, 'worker', 'api')],
  ['pair 2', killedLater(1, 'worker', 'api')],
  ['both workers', async ({ stage }) => stage.parts.worker.kill()],
  ['both APIs', async ({ stage }) => stage.parts.api.kill()],
];

/** Sends thousands of leads while processes are killed at random, without a time limit. */
export async function longRun(
  stage: Stage,
  { seed, leads, say }: { seed: string; leads: number; say(line: string): void },
): Promise<CheckResult> {
  const { verdicts, notes } = await soak(stage, { seed, leads: leads, say, acts: kills, loadMostMs: Infinity });
  const bad = verdicts.filter(isViolation).length;
  return {
    line: `${verdicts.length} leads, ${bad} lost, doubled or answered falsely; ${notes.join('; ')}`,
    problems: violationLines('kills', verdicts),
  };
}
