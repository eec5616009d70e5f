/** `npm run drill:deploy`: the deployment of a changed workflow, with the embedded engine. */
import { deployDrill } from './deploy';

deployDrill().then(
  ({ line, problems }) => {
    process.stdout.write(`${[problems.length === 0 ? 'All is right' : 'Not all is right', line, ...problems].join('\n      ')}\n`);
    process.exit(problems.length === 0 ? 0 : 1);
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
