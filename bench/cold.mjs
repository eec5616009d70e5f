/**
 * `npm run bench:cold -- --rounds 3 --minutes 15`: measures what a lead costs a lone caller in a service that has just started, and then in
 * one that gets a lead a minute.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { at, load, median, rounded } from './load.mjs';
import { cpuMs } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, minutes: { type: 'string', default: '15' } } });
/** How long each lasts, in seconds from the start of the service. */
const windows = { 'the first lead': 0, 'to 5 s': 5, 'to 20 s': 20, 'to 60 s': 60 };

const rows = new Map();
const note = (what, cost) => rows.set(what, [...(rows.get(what) ?? []), cost]);

async function measure(service, seconds) {
  const spent = () => Object.values(service.pids).reduce((sum, pid) => sum + cpuMs(pid), 0);
  const before = spent();
  const { answers, p50, p95 } = await load(noPrescreen, service, { callers: 1, seconds });
  return { p50, p95, cpu: (spent() - before) / answers };
}

async function oneAMinute(service, minutes) {
  const leads = [];
  for (let minute = 1; minute <= minutes; minute++) {
    await pause(60_000);
    leads.push(await measure(service, 0));
  }
  const times = leads.map(({ p50 }) => p50).toSorted((one, other) => one - other);
  return { p50: at(times, 0.5), p95: at(times, 0.95), cpu: median(leads.map(({ cpu }) => cpu)) };
}

const sandbox = await startSandbox();
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    const service = await startLeadgate(sandbox);
    try {
      const startedAt = performance.now();
      for (const [what, untilS] of Object.entries(windows))
        note(what, await measure(service, untilS - (performance.now() - startedAt) / 1000));
      if (round === Number(values.rounds)) note('one a minute', await oneAMinute(service, Number(values.minutes)));
    } finally {
      await service.stop();
    }
  }
} finally {
  await sandbox.stop();
}

const table = [...rows].map(([what, runs]) => {
  const of = (field) => rounded(median(runs.map((run) => run[field])));
  return { what, 'p50 ms': of('p50'), 'p95 ms': of('p95'), 'CPU ms': of('cpu') };
});
console.table(table);
