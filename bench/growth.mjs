/**
 * `npm run bench:growth -- --stored 1000,10000 --parked 500`: measures what stored leads cost later ones. It fills the service through
 * its API and measures at each number of stored leads, parked ones last, in turns with a second service that stores as many as the first
 * number says. A hundred thousand leads take two hours, or half of that with `--fill recruit`.
 */
import { parseArgs } from 'node:util';
import { cases, noPrescreen } from './cases.mjs';
import { fill, load, median, rounded } from './load.mjs';
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

const started = [];
const keep = (system) => (started.push(system), system);

/** A lead that parks at once, because its comment is refused. */
const parking = {
  name: 'a parked lead',
  request(at) {
    const asked = noPrescreen.request(at);
    return { ...asked, body: { ...asked.body, condition: 'comment-422' } };
  },
};

async function pageMs({ base }, path) {
  const times = [];
  for (let turn = 0; turn < 5; turn++) {
    const askedAt = performance.now();
    const answer = await fetch(`${base}${path}`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    times.push(performance.now() - askedAt);
  }
  return Math.round(median(times));
}

/** Starts a service with this many leads of the filling case, then sends enough of the measured one to warm it up. */
async function startFilled(leads) {
  const service = keep(await startLeadgate(sandbox, { CLINICSYS_TIMEOUT_MS: '2000', OPEN_LEADS_MAX: '100000' }));
  await fill(filling, service, { leads, status: 200 });
  const { answers } = await load(noPrescreen, service, { callers: 8, seconds: 5 });
  return { ...service, stored: leads + answers, parked: 0 };
}

async function once(service, callers) {
  const { app, engine } = service.pids;
  const before = { app: cpuMs(app), engine: cpuMs(engine) };
  const { answers, p50, p99 } = await load(noPrescreen, service, { callers, seconds });
  service.stored += answers;
  return { p50, p99, app: (cpuMs(app) - before.app) / answers, engine: (cpuMs(engine) - before.engine) / answers };
}

/** Takes turns with a service that stores little, so that the ratio shows the stored leads and not the machine's other load. */
async function inTurns(services, callers) {
  const runs = services.map(() => []);
  const order = [...services.keys()];
  for (let round = 0; round < Number(values.rounds); round++)
    for (const index of round % 2 ? order.toReversed() : order) runs[index].push(await once(services[index], callers));
  return runs.map((of) => Object.fromEntries(['p50', 'p99', 'app', 'engine'].map((name) => [name, median(of.map((run) => run[name]))])));
}

const rows = [];
async function row(service, young) {
  const { stored, parked } = service;
  const figures = {};
  for (const callers of [1, 32]) {
    const [old, beside] = await inTurns([service, young], callers);
    for (const name of ['p50', 'p99', 'app', 'engine']) figures[`${name} at ${callers}`] = rounded(old[name]);
    figures[`CPU × at ${callers}`] = rounded((old.app + old.engine) / (beside.app + beside.engine), 2);
    figures[`p50 × at ${callers}`] = rounded(old.p50 / beside.p50, 2);
  }
  rows.push({
    stored,
    parked,
    ...figures,
    'list ms': await pageMs(service, '/api/leads'),
    'failed list ms': await pageMs(service, '/api/leads?state=failed'),
    'counts ms': await pageMs(service, '/api/leads/counts'),
    'file MiB': Math.round(service.databaseBytes() / 2 ** 20),
    'app MiB': Math.round(rssMib(service.pids.app)),
    'engine MiB': Math.round(rssMib(service.pids.engine)),
  });
  console.log(JSON.stringify(rows.at(-1)));
}

const sandbox = keep(await startSandbox());
try {
  const service = await startFilled(marks[0]);
  const young = await startFilled(marks[0]);
  for (const mark of marks) {
    await fill(filling, service, { leads: mark - service.stored, status: 200 });
    service.stored = Math.max(service.stored, mark);
    await row(service, young);
  }
  for (const mark of parkedMarks) {
    // Each of these is answered after some seconds only.
    await fill(parking, service, { leads: mark - service.parked, status: 422, callers: 64 });
    service.parked = mark;
    await row(service, young);
  }
  console.table(rows);
} finally {
  for (const system of started.reverse()) await system.stop();
}
