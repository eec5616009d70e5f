/**
 * Measures leads per second and their cost on one machine: two pairs of worker and API on Postgres, each a process of `npm start`, in turns
 * with the embedded default.
 */
import { performance } from 'node:perf_hooks';
import { newLead } from '../faults/lead';
import { startService, type Service } from '../support/service';
import type { CheckResult } from './check';
import { costOf, startedBy } from './cost';
import type { Cluster } from './open';

const callers = 32;
const rounds = 5;
const warmUp = 100;

/** Default settings, except that no caller gets a 202. */
const patient = { SYNC_WAIT_MS: '60000' };

/** The processes that work for a lead; the simulators are part of `app`. */
interface Target {
  readonly url: () => string;
  readonly parts: Readonly<Record<Worker, () => readonly number[]>>;
}

const workers = ['app', 'engine', 'database'] as const;
type Worker = (typeof workers)[number];

interface Measured extends Record<Worker, number> {
  readonly perS: number;
  readonly p50: number;
  readonly p95: number;
  readonly kB: number;
}

const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);
const at = (values: readonly number[], share: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const median = (values: readonly number[]) => at(values, 0.5);

/** Ends with the first wrong answer, so that only correct answers are measured. */
async function measure({ url, parts }: Target, leads: number): Promise<Measured> {
  const times: number[] = [];
  let left = leads;
  const pids = workers.map((worker) => parts[worker]());
  const before = pids.map(costOf);
  const from = performance.now();
  const caller = async () => {
    while (left-- > 0) {
      const { path, body } = newLead({ group: 'bench' });
      const began = performance.now();
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const { status } = await fetch(`${url()}${path}`, init).then(async (answer) => (await answer.arrayBuffer(), answer));
      if (status !== 200) throw new Error(`a lead was answered ${status}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const perS = leads / ((performance.now() - from) / 1000);
  const spent = pids
    .map(costOf)
    .map(({ cpuMs, bytes }, at) => ({ cpuMs: cpuMs - (before[at]?.cpuMs ?? 0), bytes: bytes - (before[at]?.bytes ?? 0) }));
  const [app = 0, engine = 0, database = 0] = spent.map(({ cpuMs }) => cpuMs / leads);
  const kB = spent.reduce((sum, { bytes }) => sum + bytes, 0) / leads / 1000;
  return { perS, p50: at(times, 0.5), p95: at(times, 0.95), app, engine, database, kB };
}

const columns = ['perS', 'p50', 'p95', ...workers, 'kB'] as const;
const head = ['leads/s', 'p50 ms', 'p95 ms', ...workers.map((worker) => `${worker} CPU ms`), 'kB to the disk'];
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const row = (what: string, measured: Measured) => line([what, ...columns.map((name) => measured[name].toPrecision(3))]);
function middle(all: readonly Measured[]): Measured {
  const of = (name: keyof Measured) => median(all.map((one) => one[name]));
  return { perS: of('perS'), p50: of('p50'), p95: of('p95'), app: of('app'), engine: of('engine'), database: of('database'), kB: of('kB') };
}

export async function bench(
  { temporal, database }: Cluster,
  { leads, say }: { leads: number; say(line: string): void },
): Promise<CheckResult> {
  const services: Service[] = [];
  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    const service = await startService({ ...patient, ...settings });
    services.push(service);
    return service;
  };
  const seen: Record<'cluster' | 'embedded', Measured[]> = { cluster: [], embedded: [] };
  try {
    const pairs = [await start(temporal.settings), await start(temporal.settings)];
    const alone = await start();
    let turn = 0;
    const pidsOf = (pid: number | undefined) => (pid ? [pid] : []);
    const targets: Readonly<Record<keyof typeof seen, Target>> = {
      cluster: {
        url: () => pairs[turn++ % pairs.length]?.url ?? '',
        parts: {
          app: () => pairs.map(({ pid }) => pid),
          engine: () => pidsOf(temporal.part.pid()),
          database: () => pidsOf(database()).flatMap((pid) => [pid, ...startedBy(pid)]),
        },
      },
      embedded: { url: () => alone.url, parts: { app: () => [alone.pid], engine: () => startedBy(alone.pid), database: () => [] } },
    };
    for (const target of Object.values(targets)) await measure(target, warmUp);
    for (let round = 1; round <= rounds; round++)
      for (const [name, target] of Object.entries(targets) as [keyof typeof targets, Target][]) {
        const measured = await measure(target, leads);
        seen[name].push(measured);
        say(`round ${round}, ${name}: ${measured.perS.toFixed(1)} leads/s, p50 ${Math.round(measured.p50)} ms`);
      }
  } finally {
    await Promise.all(services.map((service) => service.remove()));
  }
  const [cluster, embedded] = [middle(seen.cluster), middle(seen.embedded)];
  say(`no-prescreen leads at ${callers} callers, ${leads} a round, medians of ${rounds} rounds; CPU and bytes for each lead:`);
  say(`${line(['where', ...head])}\n${line(['where', ...head].map(() => '---'))}`);
  say(row('two pairs on Temporal with Postgres', cluster));
  say(row('npm start, embedded', embedded));
  return {
    line: `two pairs on Postgres process ${(cluster.perS / embedded.perS).toFixed(2)} times as many leads per second as npm start on this machine`,
    problems: [],
  };
}
