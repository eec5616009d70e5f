/** `npm run drill -- deploy`: deploys a changed workflow with the embedded engine. */
import { deployDrill } from './deploy';

async function main(): Promise<number> {
  const { line, problems } = await deployDrill();
  process.stdout.write(`${[problems.length === 0 ? 'The deployment passed' : 'Problems found', line, ...problems].join('\n      ')}\n`);
  return problems.length === 0 ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
