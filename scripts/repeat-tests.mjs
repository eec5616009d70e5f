/**
 * `npm run drill -- tests [20] [jest's arguments]`: repeats the tests in random orders while threads keep every core busy. A run
 * succeeds if the tests pass and leave no process and no file behind.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const project = fileURLToPath(new URL('..', import.meta.url));
const [times = '20', ...more] = process.argv.slice(2);
const say = (text) => void process.stdout.write(`${text}\n`);

/** The environment of a process. All processes of a run have the temporary directory of the run in it. */
const environmentOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
};
const processesOf = (dir) =>
  existsSync('/proc/self/environ')
    ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).split('\0').includes(`TMPDIR=${dir}`))
    : [];

/** Processes that still run after a grace period. */
async function leftProcesses(dir) {
  for (let looks = 0; looks < 50 && processesOf(dir).length > 0; looks++) await pause(100);
  return processesOf(dir).map((pid) => `process ${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`);
}
const leftFiles = (dir) => readdirSync(dir).filter((name) => !name.startsWith('swc-native'));

async function runOnce(seed) {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-repeat-'));
  const cache = join(tmpdir(), 'leadgate-repeat-jest');
  const args = ['test', '--', '--randomize', `--seed=${seed}`, `--cacheDirectory=${cache}`, ...more];
  const child = spawn('npm', args, { cwd: project, env: { ...process.env, TMPDIR: dir }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const status = await new Promise((done) => child.once('close', done));
  const left = [...(await leftProcesses(dir)), ...leftFiles(dir)];
  rmSync(dir, { recursive: true, force: true });
  return { said, status, left };
}

const busy = Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
let wrong = 0;
for (let run = 1; run <= Number(times); run++) {
  const seed = randomInt(2 ** 31);
  const startedAt = Date.now();
  const { said, status, left } = await runOnce(seed);
  const isRight = status === 0 && left.length === 0;
  if (!isRight) wrong++;
  say(`run ${run} of ${times}, seed ${seed}: ${isRight ? 'passed' : 'FAILED'} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  if (status !== 0) say(said.replaceAll(/^pass .*\n/gm, ''));
  for (const what of left) say(`left behind: ${what}`);
}
for (const each of busy) await each.terminate();
say(`${Number(times) - wrong} of ${times} passed`);
process.exitCode = wrong > 0 ? 1 : 0;
