/**
 * `npm run bench -- abuse`: measures how much hostile callers delay a normal one. It measures a normal caller alone, then during each kind of
 * abuse, and prints the answers, the normal caller's times and the growth of the service's memory. Then it sends the worst single requests
 * of each kind, and prints how long each delays /health/live; `--stalls` does only that.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startService } from '../scripts/service.mjs';
import { cpuMs } from './processes.mjs';
import { worst } from './worst.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const service = await startService({ HEADERS_TIMEOUT_MS: '2000', REQUEST_TIMEOUT_MS: '3000' });
const path = '/api/clinicsys/no-prescreen';
const { hostname, port } = new URL(service.url);

let people = 0;
const lead = () => ({
  instanceName: 'erg-oct',
  StudyID: 12,
  ReferrerID: 7,
  firstName: 'Ann',
  lastName: 'Lee',
  email: `abuse-${process.pid}-${++people}@example.org`,
});
const post = async (body, headers = {}) => {
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
};

const deep = '['.repeat(500_000);
const bomb = JSON.stringify({ a: 'x'.repeat(50 * 1024 * 1024) });
const bombs = { gzip: gzipSync(bomb), br: brotliCompressSync(bomb) };
const questions = JSON.stringify({ ...lead(), ...Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`q${at}`, 'Yes'])) });
const asDeepAsFits = `{"a":${'['.repeat(262_000)}`;

/** A socket that sends a byte every 250 ms until the server closes it. */
async function slowSocket(start) {
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.on('data', (chunk) => (said += chunk)).on('error', () => undefined);
  socket.write(start);
  const drip = setInterval(() => socket.writable && socket.write('x'), 250);
  await once(socket, 'close');
  clearInterval(drip);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0);
}
const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n`;

/** Each kind of abuse, and how many callers repeat it concurrently. */
const kinds = [
  { name: 'nothing else', callers: 0 },
  { name: 'bodies 500,000 deep', callers: 4, ask: () => post(deep) },
  { name: 'bodies as deep as allowed', callers: 4, ask: () => post(asDeepAsFits) },
  { name: 'gzip bombs of 50 MB', callers: 4, ask: () => post(bombs.gzip, { 'content-encoding': 'gzip' }) },
  { name: 'brotli bombs of 50 MB', callers: 4, ask: () => post(bombs.br, { 'content-encoding': 'br' }) },
  { name: '2,000 questions', callers: 4, ask: () => post(questions) },
  { name: '200 slow sockets, headers', callers: 200, ask: () => slowSocket(head) },
  {
    name: '200 slow sockets, bodies',
    callers: 200,
    ask: () => slowSocket(`${head}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{`),
  },
];

const rssMib = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))[1]) / 1024;
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

async function measure({ name, callers, ask }) {
  const until = Date.now() + seconds * 1000;
  const statuses = new Map();
  const before = rssMib();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, rssMib())), 20);
  const abuse = Array.from({ length: callers }, async () => {
    while (Date.now() < until) {
      const status = await ask();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      await pause(50);
    }
  });
  const times = [];
  while (Date.now() < until) {
    const startedAt = performance.now();
    const status = await post(JSON.stringify(lead()));
    if (status !== 200) throw new Error(`the normal caller was answered ${status} during ${name}`);
    times.push(performance.now() - startedAt);
    await pause(20);
  }
  await Promise.all(abuse);
  clearInterval(watch);
  times.sort((one, other) => one - other);
  const answers = [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ');
  return {
    during: name,
    answers,
    'p50 ms': Math.round(at(times, 0.5)),
    'p95 ms': Math.round(at(times, 0.95)),
    leads: times.length,
    'grew MiB': Math.round(most - before),
  };
}

async function costOfAbuse() {
  // Warm up until the service's memory is stable.
  for (let turn = 0; turn < 3; turn++) await measure({ name: 'warm-up', callers: 0 });
  const rows = [];
  for (const kind of kinds) rows.push(await measure(kind));
  return rows;
}

const entries = 300_000;
/** Writes an audit trail of several years. */
function writeTrail() {
  const line = (_, seq) => JSON.stringify({ seq, at: '2020-01-01T00:00:00.000Z', who: 'ann', action: 'discard', prev: '', hash: 'h' });
  mkdirSync(join(service.data, 'audit'), { recursive: true });
  writeFileSync(join(service.data, 'audit', '20200101T000000000Z-0.jsonl'), `${Array.from({ length: entries }, line).join('\n')}\n`);
}

const ping = fork(new URL('ping.mjs', import.meta.url), [service.url]);
/** The longest wait for /health/live since the last call. */
async function longestWaitMs() {
  ping.send('');
  const [ms] = await once(ping, 'message');
  return Math.round(ms);
}

async function send({ path: to, ...request }) {
  const answer = await fetch(`${service.url}${to}`, request);
  const text = await answer.text();
  return { status: answer.status, id: /^{"success":true,"card":{"id":"([^"]+)"/.exec(text)?.[1] };
}

/** The CPU time of the main thread. */
const mainMs = () => cpuMs(`${service.pid}/task/${service.pid}`);
const turns = 3;

async function stallOf([name, request]) {
  await longestWaitMs();
  const before = mainMs();
  let answer;
  for (let turn = 0; turn < turns; turn++) {
    answer = await send(request);
    if (answer.id) await send({ path: `/api/taskboard/todos/${answer.id}` });
  }
  const cpu = (mainMs() - before) / turns;
  return { request: name, answer: answer.status, 'longest wait ms': await longestWaitMs(), 'CPU ms each': Math.round(cpu) };
}

async function stalls() {
  writeTrail();
  const rows = [];
  const read = (query) => ({ path: `/api/audit?${query}` });
  const trail = [
    ['trail: the newest', read('limit=1')],
    ['trail: a filter that matches none', read('action=none')],
  ];
  for (const kind of [['nothing', { path: '/api/caller' }], ...worst, ...trail]) rows.push(await stallOf(kind));
  return rows;
}

try {
  console.log(`${cpus().length} cores, Node ${process.version}, ${seconds} s each; the callers share the machine`);
  if (!process.argv.includes('--stalls')) console.table(await costOfAbuse());
  console.table(await stalls());
} finally {
  ping.kill();
  await service.stop();
}
