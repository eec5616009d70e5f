/** `npm run drill -- restore [--rounds 3] [--leads 120] [--seed n]`: simulates the loss of the machine under load, and restores a copy. */
import { parseArgs } from 'node:util';
import { markdown } from './report';
import { restoreDrill, type RestoreDrillResult } from './restore';
import { withStage } from './run';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    leads: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

async function main(): Promise<number> {
  const drilled: RestoreDrillResult[] = [];
  await withStage({}, async (stage) => {
    for (let round = 1; round <= Number(values.rounds); round++) {
      process.stdout.write(`round ${round} …\n`);
      drilled.push(await restoreDrill(stage, { seed: values.seed, round, leads: Number(values.leads) }));
    }
  });
  const problems = drilled.flatMap((one) => one.problems);
  const summary = problems.length === 0 ? 'No lead was lost or sent twice' : 'Problems found';
  process.stdout.write(
    `${[`${summary} (seed ${values.seed})`, '', markdown(drilled.map(({ row }) => row)), '', ...problems].join('\n')}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
