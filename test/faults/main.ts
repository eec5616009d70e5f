/**
 * `npm run proofs -- faults [fault …] [--trials 20] [--soak 5000] [--seed n] [--out file.md]`: runs every row of the fault table, then the
 * soak. A name selects the rows that begin with it, and `quick` a few short ones. The seed of an earlier run repeats its random choices.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { run } from './run';
import { quick } from './table';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: 'string', default: '20' },
    soak: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    out: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const save = (text: string) => values.out && writeFileSync(values.out, `${text}\n`);
  const { text, isRight } = await run({
    names: positionals.flatMap((name) => (name === 'quick' ? quick : [name])),
    seed: values.seed,
    trials: Number(values.trials),
    soak: Number(values.soak),
    say,
    save,
  });
  say(text);
  process.exitCode = isRight ? 0 : 1;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  },
);
