/**
 * `npm run proofs -- cluster [check …] [--leads 10000 --kills] [--bench] [--seed n]`: tests the service on a Temporal cluster with
 * Postgres. Only settings differ from the embedded engine. A name selects the checks that begin with it. The run creates and removes the
 * cluster.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { run, withStage } from '../faults/run';
import type { Stage } from '../faults/stage';
import { quick } from '../faults/table';
import { upstreamOf } from '../faults/upstream';
import { acceptance } from './acceptance';
import { bench } from './bench';
import type { CheckResult } from './check';
import { deployDrill } from './deploy';
import { openCluster, type Cluster } from './open';
import { killedPair, longRun, rollingRestart } from './rolling';
import { mutualTls } from './tls';
import { truth } from './truth';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    leads: { type: 'string' },
    kills: { type: 'boolean', default: false },
    bench: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { seed } = values;
const startedAt = Date.now();
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function quickFaults({ temporal }: Cluster): Promise<CheckResult> {
  const quiet = { say: () => undefined, save: () => undefined };
  const { text, isRight } = await run({ names: quick, seed, trials: 4, soak: 0, stage: { pairs: 2, temporal }, ...quiet });
  const rows = text.split('\n').filter((row) => row.startsWith('| ')).length - 2;
  return { line: `${rows} quick rows of the fault suite, with both pairs`, problems: isRight ? [] : text.split('\n') };
}

type Check = (cluster: Cluster) => Promise<CheckResult>;

/** Runs a check on two pairs of worker and API. */
const onPairs =
  (check: (stage: Stage) => Promise<CheckResult>, settings: Readonly<Record<string, string>> = {}): Check =>
  async ({ temporal }) => {
    let seen: CheckResult = { line: '', problems: ['it did not finish'] };
    await withStage({ pairs: 2, temporal, env: () => settings }, async (stage) => {
      await upstreamOf(stage).reset();
      seen = await check(stage);
    });
    return seen;
  };

/** Lower than the load, so that many leads wait when the pair is killed. */
const limited = { UPSTREAM_LIMITS: 'key-service=10/s*4,V1=3/s*2,V2=10/s,recruitment=1/s,leadforms=1/s,screening=1/s' };

const usual: Readonly<Record<string, Check>> = {
  acceptance: onPairs(acceptance),
  truth: onPairs(truth),
  'rolling restart': onPairs(rollingRestart),
  'killed pair': onPairs((stage) => killedPair(stage, seed)),
  limits: onPairs((stage) => killedPair(stage, seed), limited),
  faults: quickFaults,
  deploy: ({ temporal }) => deployDrill(temporal),
  tls: async (cluster) => mutualTls(await cluster.withTls()),
};
const long: Readonly<Record<string, Check>> = {
  ...(values.bench && {
    bench: (cluster: Cluster) => bench(cluster, { leads: Number(values.leads ?? 500), say }),
  }),
  ...(values.kills && { kills: onPairs((stage) => longRun(stage, { seed, leads: Number(values.leads ?? 10_000), say })) }),
};

async function main(): Promise<boolean> {
  const checks = Object.keys(long).length > 0 ? long : usual;
  const chosen = Object.entries(checks).filter(([name]) => positionals.length === 0 || positionals.some((word) => name.startsWith(word)));
  if (chosen.length === 0) throw new Error(`Unknown check. The checks are ${Object.keys(checks).join(', ')}`);
  say(`cluster, --seed ${seed}, ${cpus().length} cores, Node ${process.version}`);
  const cluster = await openCluster(say);
  const end = () => void cluster.stop().finally(() => process.exit(1));
  process.once('SIGINT', end).once('SIGTERM', end);
  let isRight = true;
  try {
    for (const [name, check] of chosen) {
      const from = Date.now();
      const { line, problems } = await check(cluster).catch((error: unknown) => ({
        line: 'the check failed with an error',
        problems: [String(error)],
      }));
      isRight &&= problems.length === 0;
      say(`${problems.length === 0 ? 'ok ' : 'NOT'} ${name}: ${line} (${Math.round((Date.now() - from) / 1000)} s)`);
      for (const problem of problems) say(`      ${problem}`);
    }
  } finally {
    await cluster.stop();
  }
  say(`${isRight ? 'All checks passed' : 'Some checks failed'}, after ${Math.round((Date.now() - startedAt) / 1000)} s.`);
  return isRight;
}

main().then(
  (isRight) => process.exit(isRight ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
