/**
 * What a lead costs here: `npm run bench` starts the service on free loopback ports with data of its own, runs each case, prints a
 * table and writes bench/results.json. Every answer is checked; a wrong one ends the run.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const data = join(project, '.data', 'bench');
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

const [api, engine, ui, sandbox] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
const base = `http://127.0.0.1:${api}`;
const board = `http://127.0.0.1:${sandbox}/taskboard/graphql`;
const boardHeaders = {
  'x-bloo-token-id': 'sandbox-token',
  'x-bloo-token-secret': 'sandbox-token-secret',
  'x-bloo-company-id': 'sandbox-company',
};

let people = 0;
const person = () => ({ firstName: 'Ann', lastName: 'Lee', email: `bench-${process.pid}-${++people}@example.org`, phone: '555-201-3344' });
const siteLead = () => ({
  instanceName: 'erg-oct',
  StudyID: 12,
  ReferrerID: 7,
  ...person(),
  dob: '1980-03-05',
  sex: 'F',
  condition: 'Eczema',
  protocol: 'AD-301',
});
const answers = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`q${101 + at}`, at % 2 ? 'Yes' : 'No']));
const snake = () => {
  const { firstName: first_name, lastName: last_name, email, phone: phone_number } = person();
  return { first_name, last_name, email, phone_number };
};

const post = (path, body) => ({ url: base + path, method: 'POST', body });
const cases = [
  {
    name: 'no-prescreen',
    request: () => post('/api/clinicsys/no-prescreen', siteLead()),
    right: (body) => body.rtV2Response?.data?.subjectId > 0,
  },
  {
    name: 'with-prescreen, 15 questions',
    request: () => post('/api/clinicsys/with-prescreen', { ...siteLead(), ...answers }),
    right: (body) => body.rtResponse?.status === 0,
  },
  {
    name: 'recruit',
    request: () =>
      post('/api/recruit/send-to-recruit', { bearerToken: 'bench', clientId: '1', siteId: '1263', environment: 'us', ...person() }),
    right: (body) => body.success === true,
  },
  {
    name: 'lead forms',
    request: () => post('/api/scr/send-to-leadforms', { site: 'Skin Care - Hollywood', ...snake() }),
    right: (body) => body.success === true,
  },
  {
    name: 'screening',
    request: () => post('/api/screening/send-patient', { study_id: 1, site_id: 2, ...snake() }),
    right: (body) => body.success === true,
  },
  { name: 'task-board read', request: () => ({ url: `${base}/api/taskboard/projects` }), right: (body) => body.count > 0 },
  {
    name: 'the same read, asked of the upstream itself',
    request: () => ({
      url: board,
      method: 'POST',
      headers: boardHeaders,
      body: {
        query:
          'query ($c: String!) { projectList(filter: {companyIds: [$c]}, sort: [name_ASC], skip: 0, take: 100) { items { id uid name description createdAt updatedAt } pageInfo { hasNextPage } totalCount } }',
        variables: { c: boardHeaders['x-bloo-company-id'] },
      },
    }),
    right: (body) => body.data?.projectList?.items?.length > 0,
  },
];
const loads = [
  { callers: 1, requests: 60 },
  { callers: 32, requests: 320 },
];

async function ask({ request, right, name }) {
  const { url, method = 'GET', headers, body } = request();
  const startedAt = performance.now();
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  const tookMs = performance.now() - startedAt;
  if (response.status !== 200 || !right(answer)) throw new Error(`${name}: ${response.status} ${JSON.stringify(answer).slice(0, 500)}`);
  return tookMs;
}

/** User and system time of a process and its children so far. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / 100) * 1000;
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const median = (values) =>
  at(
    values.toSorted((one, other) => one - other),
    0.5,
  );

async function measure(one, { callers, requests }, pids) {
  const times = [];
  let left = requests;
  const cpuBefore = pids.map(cpuMs);
  const startedAt = performance.now();
  const caller = async () => {
    while (left-- > 0) times.push(await ask(one));
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((first, second) => first - second);
  const [appCpu, engineCpu] = pids.map((pid, index) => (cpuMs(pid) - cpuBefore[index]) / requests);
  return { perS: requests / seconds, p50: at(times, 0.5), p95: at(times, 0.95), p99: at(times, 0.99), appCpu, engineCpu };
}

/** The engine among the processes that were started for this run: the one whose own name is the engine's, not its watcher's. */
function enginePid() {
  const text = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').find(
    (pid) => /^\d+$/.test(pid) && text(pid, 'comm').startsWith('temporal') && text(pid, 'cmdline').includes(`\0${engine}\0`),
  );
}

rmSync(data, { recursive: true, force: true });
mkdirSync(data, { recursive: true });
const env = { ...process.env, PORT: api, TEMPORAL_PORT: engine, TEMPORAL_UI_PORT: ui, SANDBOX_PORT: sandbox, LEADGATE_DATA_DIR: data };
const service = spawn(process.execPath, [join(project, 'scripts/bootstrap.mjs'), 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
const ended = new Promise((done) => service.once('exit', done));
const startedAt = performance.now();
try {
  while (
    !(await fetch(`${base}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (service.exitCode !== null || performance.now() - startedAt > 300_000) throw new Error('the service did not start');
    await pause(50);
  }
  const readyMs = performance.now() - startedAt;
  const pids = [service.pid, Number(enginePid())];
  const memoryMiB = () => pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
  for (const one of cases) await measure(one, { callers: 8, requests: 80 }, pids);
  const idleMiB = memoryMiB();
  const found = [];
  for (let round = 0; round < rounds; round++)
    for (const load of loads) for (const one of cases) found.push({ name: one.name, ...load, round, ...(await measure(one, load, pids)) });

  const table = loads.flatMap(({ callers }) =>
    cases.map(({ name }) => {
      const runs = found.filter((each) => each.name === name && each.callers === callers);
      const of = (field) => Number(median(runs.map((run) => run[field])).toFixed(1));
      return {
        case: name,
        callers,
        'per s': of('perS'),
        'p50 ms': of('p50'),
        'p95 ms': of('p95'),
        'p99 ms': of('p99'),
        'app CPU ms': of('appCpu'),
        'engine CPU ms': of('engineCpu'),
      };
    }),
  );
  console.log(`${rounds} rounds, medians; ${cpus().length} cores, Node ${process.version}; ready after ${Math.round(readyMs)} ms`);
  console.table(table);
  const databaseBytes = ['engine.db', 'engine.db-wal'].map((file) => statSync(join(data, file), { throwIfNoEntry: false })?.size ?? 0);
  console.log(
    `memory of app and engine: ${memoryMiB().map(Math.round).join(' + ')} MiB (after the warm-up: ${idleMiB.map(Math.round).join(' + ')}); database: ${databaseBytes.join(' + ')} bytes`,
  );
  writeFileSync(
    join(project, 'bench', 'results.json'),
    `${JSON.stringify({ at: new Date().toISOString(), rounds, table, found }, null, 1)}\n`,
  );
} finally {
  service.kill('SIGTERM');
  await ended;
  rmSync(data, { recursive: true, force: true });
}
