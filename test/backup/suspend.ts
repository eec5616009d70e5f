/** Suspends a process group in a process of its own, and waits to be killed. */
import { whileSuspended } from '../../src/backup/suspend';

void whileSuspended(Number(process.argv[2]), () => {
  process.stdout.write('still\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
});
