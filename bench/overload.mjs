/**
 * `npm run bench:overload`: measures more leads than the service can carry. It finds what the service carries, offers twice and five
 * times as much, and prints what became of admitted and refused leads. `OPEN_LEADS_MAX` is the number that keeps admitted leads fast.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { noPrescreen } from './cases.mjs';
import { at, load } from './load.mjs';
import { rssMib } from './processes.mjs';
import { startLeadgate, startSandbox } from './systems.mjs';

const { values } = parseArgs({
  options: {
    open: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '15' },
    times: { type: 'string', default: '2,5' },
  },
});
const open = Number(values.open);
const seconds = Number(values.seconds);
const sandbox = await startSandbox();
const service = await startLeadgate(sandbox, { OPEN_LEADS_MAX: String(open) }).catch(async (error) => {
  await sandbox.stop();
  throw error;
});

async function post(found) {
  const { url, body } = noPrescreen.request({ base: service.base });
  const askedAt = performance.now();
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await answer.arrayBuffer();
  found.push({ status: answer.status, tookMs: performance.now() - askedAt, retryAfter: answer.headers.get('retry-after') });
}

/** Sends leads at a fixed rate, whether earlier ones were answered or not. */
async function offered(perS) {
  const found = [];
  const asked = [];
  const until = performance.now() + seconds * 1000;
  for (let next = performance.now(); performance.now() < until; next += 1000 / perS) {
    await pause(Math.max(0, next - performance.now()));
    asked.push(post(found));
  }
  await Promise.all(asked);
  return found;
}

const p95 = (found) =>
  Math.round(
    at(
      found.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other),
      0.95,
    ),
  );

try {
  const known = { base: service.base };
  await load(noPrescreen, known, { callers: 8, seconds: 5 });
  // One caller below the limit, so nobody is refused.
  const alone = await load(noPrescreen, known, { callers: open - 1, seconds });
  console.log(
    `carries ${alone.perS.toFixed(1)} leads a second with ${open - 1} callers, p95 ${Math.round(alone.p95)} ms; ${open} open leads at most`,
  );
  const rows = [];
  for (const times of values.times.split(',').map(Number)) {
    await pause(2_000);
    const found = await offered(alone.perS * times);
    const of = (status) => found.filter((each) => each.status === status);
    const refused = of(503);
    rows.push({
      offered: `${times} ×`,
      leads: found.length,
      delivered: of(200).length,
      'delivered a second': Math.round(of(200).length / seconds),
      'their p95 ms': p95(of(200)),
      'against alone': Number((p95(of(200)) / alone.p95).toFixed(2)),
      refused: refused.length,
      'their p95 ms ': p95(refused),
      'without Retry-After': refused.filter(({ retryAfter }) => !retryAfter).length,
      other: found.length - of(200).length - refused.length,
      'app MiB': Math.round(rssMib(service.pids.app)),
    });
  }
  console.table(rows);
} finally {
  await service.stop();
  await sandbox.stop();
}
