/**
 * `npm run bench:soak -- --minutes 30 --callers 2`: measures memory over time. It sends leads all the while and prints each minute how
 * much memory every process holds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { load } from './load.mjs';
import { rssMib } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, callers: { type: 'string', default: '2' } } });
const sandbox = await startSandbox();
const service = await startLeadgate(sandbox).catch(async (error) => {
  await sandbox.stop();
  throw error;
});
try {
  for (let minute = 1; minute <= Number(values.minutes); minute++) {
    const { answers, p50, p99 } = await load(noPrescreen, { base: service.base }, { callers: Number(values.callers), seconds: 58 });
    await pause(500);
    const memory = Object.entries(service.pids).map(([name, pid]) => [`${name} MiB`, Math.round(rssMib(pid))]);
    const file = { 'file MiB': Math.round(service.databaseBytes() / 2 ** 20) };
    console.log(
      JSON.stringify({ minute, leads: answers, p50: Math.round(p50), p99: Math.round(p99), ...Object.fromEntries(memory), ...file }),
    );
  }
} finally {
  await service.stop();
  await sandbox.stop();
}
