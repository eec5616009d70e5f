/** How many leads a second: two pairs on Postgres beside the embedded default, in turn, in one run on one machine. */
import { performance } from 'node:perf_hooks';
import { newLead } from '../faults/lead';
import type { Stage } from '../faults/stage';
import { startService } from '../support/service';
import type { Found } from './check';

const callers = 32;
const rounds = 5;
const warmUp = 100;

/** Both as they are by default, but that no caller is sent away with a 202. */
const patient = { SYNC_WAIT_MS: '60000' };
const timeouts = ['KEY_SERVICE', 'CLINICSYS', 'RECRUIT', 'LEADFORMS', 'SCREENING', 'TASKBOARD'].map((name) => [`${name}_TIMEOUT_MS`, '']);
export const benchSettings = { ...Object.fromEntries(timeouts), ...patient };

interface Measured {
  readonly perS: number;
  readonly p50: number;
  readonly p95: number;
}

const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);
const at = (values: readonly number[], share: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const median = (values: readonly number[]) => at(values, 0.5);

/** Ends with the first wrong answer: what is fast and wrong is not measured. */
async function measure(urlOf: () => string, leads: number): Promise<Measured> {
  const times: number[] = [];
  let left = leads;
  const from = performance.now();
  const caller = async () => {
    while (left-- > 0) {
      const { path, body } = newLead({ group: 'bench' });
      const began = performance.now();
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const { status } = await fetch(`${urlOf()}${path}`, init).then(async (answer) => (await answer.arrayBuffer(), answer));
      if (status !== 200) throw new Error(`a lead was answered ${status}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { perS: leads / ((performance.now() - from) / 1000), p50: at(times, 0.5), p95: at(times, 0.95) };
}

const row = (what: string, { perS, p50, p95 }: Measured) => `| ${what} | ${perS.toFixed(1)} | ${Math.round(p50)} | ${Math.round(p95)} |`;
const middle = (all: readonly Measured[]): Measured => ({
  perS: median(all.map(({ perS }) => perS)),
  p50: median(all.map(({ p50 }) => p50)),
  p95: median(all.map(({ p95 }) => p95)),
});

export async function bench(stage: Stage, { leads, say }: { leads: number; say(line: string): void }): Promise<Found> {
  const service = await startService(patient);
  const targets = { cluster: () => stage.url, embedded: () => service.url };
  const seen: Record<keyof typeof targets, Measured[]> = { cluster: [], embedded: [] };
  try {
    for (const url of Object.values(targets)) await measure(url, warmUp);
    for (let round = 1; round <= rounds; round++)
      for (const [name, url] of Object.entries(targets) as [keyof typeof targets, () => string][]) {
        const measured = await measure(url, leads);
        seen[name].push(measured);
        say(`round ${round}, ${name}: ${measured.perS.toFixed(1)} leads/s, p50 ${Math.round(measured.p50)} ms`);
      }
  } finally {
    await service.remove();
  }
  const [cluster, embedded] = [middle(seen.cluster), middle(seen.embedded)];
  say(`no-prescreen leads at ${callers} callers, ${leads} a round, medians of ${rounds} rounds:`);
  say('| where | leads/s | p50 ms | p95 ms |\n| --- | --- | --- | --- |');
  say(row('two pairs on Temporal with Postgres', cluster));
  say(row('npm start, embedded', embedded));
  return { line: `two pairs on Postgres carry ${(cluster.perS / embedded.perS).toFixed(2)} times what npm start does here`, problems: [] };
}
