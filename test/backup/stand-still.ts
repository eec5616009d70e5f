/** A process of its own: lets a process group stand still, says so, and waits to be killed. */
import { whileStill } from '../../src/backup/standstill';

void whileStill(Number(process.argv[2]), () => {
  process.stdout.write('still\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
});
