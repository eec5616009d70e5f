/**
 * `npm run bench:cold -- --rounds 3 --minutes 15`: measures what a lead costs a lone caller in a service that has just started, and then in
 * one that gets a lead a minute.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { at, load, median } from './load.mjs';
import { cpuMs } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, minutes: { type: 'string', default: '15' } } });
/** Seconds after the start, and until when. */
const windows = { 'the first lead': 0, 'to 5 s': 5, 'to 20 s': 20, 'to 60 s': 60 };

const rounded = (value) => Math.round(value * 10) / 10;
const rows = new Map();

async function measure(service, what, seconds) {
  const spent = () => Object.values(service.pids).reduce((sum, pid) => sum + cpuMs(pid), 0);
  const before = spent();
  const { answers, p50, p95 } = await load(noPrescreen, service, { callers: 1, seconds });
  rows.set(what, [...(rows.get(what) ?? []), { p50, p95, cpu: (spent() - before) / answers }]);
}

const sandbox = await startSandbox();
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    const service = await startLeadgate(sandbox);
    try {
      const startedAt = performance.now();
      for (const [what, untilS] of Object.entries(windows)) await measure(service, what, untilS - (performance.now() - startedAt) / 1000);
      if (round === Number(values.rounds))
        for (let minute = 1; minute <= Number(values.minutes); minute++) {
          await pause(60_000);
          await measure(service, 'one a minute', 0);
        }
    } finally {
      await service.stop();
    }
  }
} finally {
  await sandbox.stop();
}

const table = [...rows].map(([what, runs]) => {
  const of = (field) => runs.map((run) => run[field]);
  const slowest =
    what === 'one a minute'
      ? at(
          of('p50').toSorted((one, other) => one - other),
          0.95,
        )
      : median(of('p95'));
  return { what, 'p50 ms': rounded(median(of('p50'))), 'p95 ms': rounded(slowest), 'CPU ms': rounded(median(of('cpu'))) };
});
console.table(table);
