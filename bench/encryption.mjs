/**
 * `npm run bench:encryption`: measures what encryption costs a lead. It takes turns between the service with and without encryption, with
 * one caller.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { load, median } from './load.mjs';
import { cpuMs } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' }, seconds: { type: 'string', default: '6' } } });
const seconds = Number(values.seconds);
const started = [];
const keep = (system) => (started.push(system), system);
try {
  const sandbox = keep(await startSandbox());
  const inClear = `--require ${fileURLToPath(new URL('in-clear.cjs', import.meta.url))}`;
  const systems = [
    { name: 'encrypted', service: keep(await startLeadgate(sandbox)), runs: [] },
    { name: 'in clear', service: keep(await startLeadgate(sandbox, { NODE_OPTIONS: inClear })), runs: [] },
  ];
  for (const { service } of systems) await load(noPrescreen, service, { callers: 8, seconds: 5 });
  for (let round = 0; round < Number(values.rounds); round++)
    for (const { service, runs } of round % 2 ? systems.toReversed() : systems) {
      const before = cpuMs(service.pids.app);
      const { answers, p50 } = await load(noPrescreen, service, { callers: 1, seconds });
      runs.push({ p50, cpu: (cpuMs(service.pids.app) - before) / answers });
    }
  const [on, off] = systems.map(({ runs }) => ({ p50: median(runs.map(({ p50 }) => p50)), cpu: median(runs.map(({ cpu }) => cpu)) }));
  console.table({
    encrypted: on,
    'in clear': off,
    'encrypted against in clear': { p50: on.p50 / off.p50, cpu: on.cpu / off.cpu },
  });
} finally {
  for (const system of started.reverse()) await system.stop();
}
