/**
 * `npm run bench:start`: measures the time from `npm start` to ready, and where it goes. A cold start is a clone of the last commit
 * without packages, build or engine, so it needs the network. A warm start is the same clone again.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, environment, isReady } from '../scripts/service.mjs';
import { median } from './load.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const top = mkdtempSync(join(tmpdir(), 'leadgate-start-'));
const [project, data, cache] = ['project', 'data', 'cache'].map((name) => join(top, name));

const answers = (port) =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => (socket.destroy(), done(true)))
      .once('error', () => done(false));
  });

/** Signs of progress, in order, as seen from outside. */
const marks = ({ PORT, TEMPORAL_PORT }) => ({
  'packages installed': () => existsSync(join(project, 'node_modules', '.leadgate-install')),
  built: () => existsSync(join(project, 'dist', '.stamp')),
  'engine found and begun': () => existsSync(join(data, 'engine.pid')),
  'engine answers': () => answers(TEMPORAL_PORT),
  ready: () => isReady(`http://127.0.0.1:${PORT}`),
});

/** Starts once; the milliseconds from each sign to the next. */
async function start() {
  const env = { ...(await environment(data, {})), XDG_CACHE_HOME: cache };
  const startedAt = performance.now();
  const service = spawn('npm', ['start'], { cwd: project, env, stdio: 'ignore', detached: true });
  const end = () => {
    if (service.pid && service.exitCode === null) process.kill(-service.pid, 'SIGTERM');
  };
  process.once('exit', end);
  const took = {};
  let last = startedAt;
  for (const [name, isThere] of Object.entries(marks(env))) {
    for (; !(await isThere()); await pause(5)) if (service.exitCode !== null) throw new Error(`npm start ended with ${service.exitCode}`);
    took[name] = performance.now() - last;
    last = performance.now();
  }
  took.together = last - startedAt;
  process.off('exit', end);
  end();
  await once(service, 'exit');
  return took;
}

const inSeconds = (took) => Object.fromEntries(Object.entries(took).map(([name, ms]) => [name, Math.round(ms / 10) / 100]));

try {
  await build();
  execFileSync('git', ['clone', '--quiet', fileURLToPath(new URL('..', import.meta.url)), project]);
  const cold = await start();
  const warm = [];
  for (let round = 0; round < Number(values.rounds); round++) warm.push(await start());
  const medians = Object.fromEntries(Object.keys(cold).map((name) => [name, median(warm.map((took) => took[name]))]));
  console.table({ cold: inSeconds(cold), warm: inSeconds(medians) });
} finally {
  rmSync(top, { recursive: true, force: true });
}
