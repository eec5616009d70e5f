/**
 * `npm run bench`: measures the cost of a lead. It starts the service, the same steps without durability, and an untuned Temporal on
 * free loopback ports, measures them in turns, checks every answer and prints tables.
 *
 *   npm run bench -- --rounds 5 --seconds 6 --callers 1,8,32,128 --latency 0,50 --case no-prescreen --least
 *
 * `--least`: compares with the minimum that the engine requires: the steps with encryption and search (guarded), the steps alone (bare), and
 * a workflow without steps (empty).
 * `--beside ../before`: compares only with the service of another checkout, such as the version before a change.
 */
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { cases } from './cases.mjs';
import { load, median, rounded } from './load.mjs';
import { cpuMs, rssMib, written } from './processes.mjs';
import { startLeadgate, startLeast, startPlain, startSandbox, startUntuned } from './systems.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    callers: { type: 'string', default: '1,8,32,128' },
    latency: { type: 'string', default: '0,50' },
    case: { type: 'string', multiple: true, default: [] },
    least: { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
});
const numbers = (list) => list.split(',').map(Number);
const rounds = Number(values.rounds);
const eachS = Number(values.seconds);
/** Warm-up time: a new process is still being compiled, and a third slower than after some hundred leads. */
const warmS = 20;
const callers = numbers(values.callers);
const latencies = numbers(values.latency);
const [chain, ...others] = cases.filter(({ name }) => values.case.length === 0 || values.case.some((wanted) => name.startsWith(wanted)));
if (!chain) {
  console.error(`Unknown case. The cases are: ${cases.map(({ name }) => name).join('; ')}`);
  process.exit(2);
}

/** The first case under every load; the others with 1 and 32 callers only. */
const loads = [
  ...callers.flatMap((count) => latencies.map((latencyMs) => ({ one: chain, callers: count, latencyMs }))),
  ...others.flatMap((one) =>
    callers.filter((count) => count === 1 || count === 32).map((count) => ({ one, callers: count, latencyMs: 0 })),
  ),
];

const sum = (values) => values.reduce((total, value) => total + value, 0);

async function startOther(directory, sandbox) {
  const systems = await import(pathToFileURL(resolve(directory, 'bench/systems.mjs')).href);
  return { ...(await systems.startLeadgate(sandbox)), name: 'beside' };
}

async function measure({ one, callers, latencyMs }, system, sandbox, seconds = eachS) {
  const pids = Object.entries(system.pids);
  const before = pids.map(([, pid]) => cpuMs(pid));
  const diskBefore = written(system.pids.engine);
  const target = { base: system.base, sandbox: sandbox.url };
  const { answers, ...times } = await load(one, target, { callers, seconds });
  const cpu = Object.fromEntries(pids.map(([name, pid], index) => [name, (cpuMs(pid) - before[index]) / answers]));
  const disk = written(system.pids.engine);
  return {
    ...{ case: one.name, callers, latencyMs, system: system.name, answers, ...times, cpu, cpuMs: sum(Object.values(cpu)) },
    writes: (disk.calls - diskBefore.calls) / answers,
    writtenBytes: (disk.bytes - diskBefore.bytes) / answers,
    rssMib: sum(pids.map(([, pid]) => rssMib(pid))),
  };
}

function tableOf(found) {
  const groups = grouped(found);
  const rows = [...groups.values()].map((runs) => {
    const of = (field) => median(runs.map((run) => run[field]));
    const { case: name, callers, latencyMs, system } = runs[0];
    const part = (process) => rounded(median(runs.map(({ cpu }) => cpu[process])));
    return {
      case: name,
      callers,
      'upstream ms': latencyMs,
      system,
      'per s': rounded(of('perS')),
      'p50 ms': rounded(of('p50')),
      'p95 ms': rounded(of('p95')),
      'p99 ms': rounded(of('p99')),
      'CPU ms': rounded(of('cpuMs')),
      'app CPU': part('app'),
      'engine CPU': part('engine'),
      MiB: Math.round(of('rssMib')),
      writes: rounded(of('writes')),
      'kB to disk': rounded(of('writtenBytes') / 1000),
    };
  });
  return rows.map((row) => ({ ...row, ...timesEmpty(row, rows) }));
}

/** A row's cost as a multiple of what a workflow without steps costs under the same load. */
function timesEmpty(row, rows) {
  const empty = rows.find((other) => other.system === 'empty' && ['callers', 'upstream ms'].every((load) => other[load] === row[load]));
  if (!empty) return {};
  return Object.fromEntries(['p50 ms', 'CPU ms'].map((field) => [`${field} × empty`, rounded(row[field] / empty[field], 2)]));
}

const keyOf = (run) => JSON.stringify([run.case, run.callers, run.latencyMs, run.system]);
function grouped(found) {
  const groups = new Map();
  for (const run of found) groups.set(keyOf(run), [...(groups.get(keyOf(run)) ?? []), run]);
  return groups;
}

const started = [];
const keep = (system) => (started.push(system), system);
try {
  const sandbox = keep(await startSandbox());
  const latency = (ms) => fetch(`${sandbox.url}/__latency?ms=${ms}`, { method: 'POST' });
  const leadgate = keep(await startLeadgate(sandbox));
  const systems = [leadgate];
  if (values.beside) systems.push(keep(await startOther(values.beside, sandbox)));
  else systems.push(keep(await startPlain(sandbox)), keep(await startUntuned(sandbox, leadgate)));
  if (values.least) for (const workflow of ['guarded', 'bare', 'empty']) systems.push(keep(await startLeast(sandbox, leadgate, workflow)));
  const doing = ({ by = [] }) => systems.filter(({ name }) => ['leadgate', 'beside', ...by].includes(name));

  for (const one of [chain, ...others])
    for (const system of doing(one)) await measure({ one, callers: 32, latencyMs: 0 }, system, sandbox, one === chain ? warmS : eachS);
  const stored = systems.map(({ databaseBytes }) => databaseBytes?.());
  const found = [];
  for (let round = 0; round < rounds; round++)
    for (const each of loads) {
      await latency(each.latencyMs);
      const turn = round % 2 ? doing(each.one).reverse() : doing(each.one);
      for (const system of turn) found.push(await measure(each, system, sandbox));
    }
  await latency(0);

  console.log(`${rounds} rounds of ${eachS} s, medians; ${cpus().length} cores, Node ${process.version}; CPU a lead, without the upstream`);
  console.table(tableOf(found));
  const kept = [];
  for (const [index, system] of systems.entries()) {
    if (!system.lastRun) continue;
    await load(chain, { base: system.base }, { callers: 1, seconds: 0 });
    const leads = sum(found.filter((run) => run.system === system.name).map(({ answers }) => answers));
    kept.push({
      system: system.name,
      ...(await system.lastRun()),
      'bytes a run in the file': Math.round((system.databaseBytes() - stored[index]) / leads),
    });
  }
  console.table(kept);
} finally {
  for (const system of started.reverse()) await system.stop();
}
