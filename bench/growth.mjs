/**
 * What stored leads cost those that come after them: `npm run bench:growth -- --stored 1000,10000 --parked 500` fills the service
 * through its own door and measures at each mark, the parked ones last. A hundred thousand take an hour, or half of it with `--fill recruit`.
 */
import { parseArgs } from 'node:util';
import { cases, noPrescreen } from './cases.mjs';
import { fill, load, median } from './load.mjs';
import { cpuMs, rssMib } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({
  options: {
    stored: { type: 'string', default: '1000,10000' },
    parked: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    fill: { type: 'string', default: noPrescreen.name },
  },
});
const marks = values.stored.split(',').map(Number);
const parkedMarks = values.parked?.split(',').map(Number) ?? [];
const seconds = Number(values.seconds);
const filling = cases.find(({ name }) => name === values.fill);
if (!filling) throw new Error(`--fill: one of ${cases.map(({ name }) => name).join(', ')}`);

const sandbox = await startSandbox();
const service = await startLeadgate(sandbox, { CLINICSYS_TIMEOUT_MS: '2000' }).catch(async (error) => {
  await sandbox.stop();
  throw error;
});
const target = { base: service.base };

/** A lead whose comment is refused: parked, and answered at once. */
const parking = {
  name: 'a parked lead',
  request(at) {
    const asked = noPrescreen.request(at);
    return { ...asked, body: { ...asked.body, condition: 'comment-422' } };
  },
};

let stored = 0;
async function pageMs(path) {
  const times = [];
  for (let turn = 0; turn < 5; turn++) {
    const askedAt = performance.now();
    const answer = await fetch(`${service.base}${path}`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    times.push(performance.now() - askedAt);
  }
  return Math.round(median(times));
}

async function measure(callers) {
  const runs = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = Object.values(service.pids).map(cpuMs);
    const { answers, p50, p99 } = await load(noPrescreen, target, { callers, seconds });
    stored += answers;
    const cpu = Object.values(service.pids).reduce((sum, pid, index) => sum + cpuMs(pid) - before[index], 0) / answers;
    runs.push({ p50, p99, cpu });
  }
  const of = (name) => Math.round(median(runs.map((run) => run[name])) * 10) / 10;
  return { 'p50 ms': of('p50'), 'p99 ms': of('p99'), 'CPU ms a lead': of('cpu') };
}

try {
  const rows = [];
  await load(noPrescreen, target, { callers: 8, seconds: 5 });
  let parked = 0;
  async function row() {
    const one = await measure(1);
    const many = await measure(32);
    rows.push({
      stored,
      parked,
      ...one,
      'p99 ms at 32': many['p99 ms'],
      'CPU ms a lead at 32': many['CPU ms a lead'],
      'list ms': await pageMs('/api/leads'),
      'failed list ms': await pageMs('/api/leads?state=failed'),
      'counts ms': await pageMs('/api/leads/counts'),
      'file MiB': Math.round(service.databaseBytes() / 2 ** 20),
      'app MiB': Math.round(rssMib(service.pids.app)),
      'engine MiB': Math.round(rssMib(service.pids.engine)),
    });
    console.log(JSON.stringify(rows.at(-1)));
  }
  for (const mark of marks) {
    await fill(filling, target, { leads: mark - stored, status: 200 });
    stored = Math.max(stored, mark);
    await row();
  }
  for (const mark of parkedMarks) {
    await fill(parking, target, { leads: mark - parked, status: 422 });
    parked = mark;
    await row();
  }
  console.table(rows);
} finally {
  await service.stop();
  await sandbox.stop();
}
