/**
 * `npm run bench -- fairness`: measures single leads during an import. It sends a large file of leads and, concurrently, single leads and a
 * small file of another caller; first without a limit, then with a limit on V1, where the leads of the file queue up.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { at } from './load.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100' },
    few: { type: 'string', default: '10' },
    limit: { type: 'string', default: '5' },
    alone: { type: 'string', default: '30' },
  },
});
const [rows, few, limit, alone] = [values.rows, values.few, values.limit, values.alone].map(Number);
const betweenMs = 250;
const callers = { many: 'key-of-many-for-the-bench', few: 'key-of-few-for-the-bench', single: 'key-of-single-for-the-bench' };
const asked = (caller, type) => ({ authorization: `Bearer ${callers[caller]}`, 'content-type': type });

async function sendFile({ base, ratePerS }, caller, count) {
  const leads = Array.from({ length: count }, () => noPrescreen.request({ base }).body);
  const csv = [Object.keys(leads[0]), ...leads.map((lead) => Object.values(lead))].map((cells) => cells.join(',')).join('\n');
  const startedAt = performance.now();
  const url = `${base}/api/imports?flow=no-prescreen&ratePerS=${ratePerS}`;
  const answer = await fetch(url, { method: 'POST', headers: asked(caller, 'text/csv'), body: csv });
  const text = await answer.text();
  const delivered = text.split('"state":"delivered"').length - 1;
  if (delivered !== count) throw new Error(`${answer.status}: ${delivered} of ${count} were delivered: ${text.slice(0, 300)}`);
  return performance.now() - startedAt;
}

async function single(base) {
  const { url, body } = noPrescreen.request({ base });
  const startedAt = performance.now();
  const answer = await fetch(url, { method: 'POST', headers: asked('single', 'application/json'), body: JSON.stringify(body) });
  const read = await answer.json();
  if (answer.status !== 200 || !noPrescreen.right(read)) throw new Error(`${answer.status} ${JSON.stringify(read).slice(0, 300)}`);
  return performance.now() - startedAt;
}

async function singles(base, goesOn) {
  const times = [];
  while (goesOn(times.length)) {
    times.push(await single(base));
    await pause(betweenMs);
  }
  times.sort((one, other) => one - other);
  return { leads: times.length, 'p50 ms': Math.round(at(times, 0.5)), 'p95 ms': Math.round(at(times, 0.95)) };
}

const s = (ms) => Number((ms / 1000).toFixed(1));

async function measured(sandbox, { settings, ratePerS }) {
  const keys = Object.entries(callers).map((entry) => entry.join(':'));
  const { base, stop } = await startLeadgate(sandbox, { GATEWAY_API_KEYS: keys.join(','), SYNC_WAIT_MS: '60000', ...settings });
  try {
    for (let warm = 0; warm < 10; warm++) await single(base);
    const quiet = await singles(base, (done) => done < alone);
    const fewAloneMs = await sendFile({ base, ratePerS }, 'few', few);
    await pause(1_500);
    let underWay = true;
    const many = sendFile({ base, ratePerS }, 'many', rows).finally(() => (underWay = false));
    await pause(4_000);
    const [beside, fewMs, manyMs] = await Promise.all([singles(base, () => underWay), sendFile({ base, ratePerS }, 'few', few), many]);
    const what = `${settings.UPSTREAM_LIMITS ?? 'no limit'}, files at ${ratePerS}/s`;
    return [
      { what, beside: 'nothing', ...quiet, [`a file of ${few}, s`]: s(fewAloneMs) },
      { what, beside: `a file of ${rows}, ${s(manyMs)} s`, ...beside, [`a file of ${few}, s`]: s(fewMs) },
    ];
  } finally {
    await stop();
  }
}

/**
 * At the default rate of a file, at about the maximum of two cores, and with a limit far below the rate, so that a queue builds up.
 */
const phases = [
  { settings: {}, ratePerS: 5 },
  { settings: {}, ratePerS: 20 },
  { settings: { UPSTREAM_LIMITS: `V1=${limit}/s` }, ratePerS: 50 },
];
const sandbox = await startSandbox();
try {
  const table = [];
  for (const phase of phases) table.push(...(await measured(sandbox, phase)));
  console.table(table);
} finally {
  await sandbox.stop();
}
