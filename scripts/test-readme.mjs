/**
 * `npm run proofs -- readme`: runs the commands of the README in a fresh copy of the last commit, with free ports. `--tarball <file>` runs them
 * in an unpacked release, which needs no build.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freshCopy } from './fresh-copy.mjs';
import { build, environment, isReady } from './service.mjs';

const standard = 'http://127.0.0.1:8080';
const startWithinMs = 300_000;
const stopWithinMs = 30_000;

const [option, tarball] = process.argv.slice(2);
if (option !== undefined && (option !== '--tarball' || tarball === undefined)) throw new Error(`Unknown option: ${option}`);

const problems = [];
const hold = (what, is) => {
  console.log(`  ${is ? 'ok' : 'FAILED'}: ${what}`);
  if (!is) problems.push(what);
};

/** The README's first code block that begins with this command and contains the word. */
function blockOf(readme, command, word = '') {
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
  const block = blocks.find((text) => text.startsWith(command) && text.includes(word));
  if (!block) throw new Error(`The README has no block that begins with ${command} and contains ${word}`);
  return block;
}

const shell = (command, env) => promisify(execFile)('bash', ['-c', command], { env, maxBuffer: 1 << 24, timeout: 60_000 });

const answersAt = (url) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts a process group, so that SIGINT reaches all its processes, as in a terminal. */
function start(command, cwd, env) {
  const child = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const sendSignal = (signal) => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  process.once('exit', () => sendSignal('SIGKILL'));
  return { said: () => said, hasEnded, sendSignal };
}

/** Parses the output of `curl -i` with a JSON body. */
function answerIn(output) {
  const [head = '', ...body] = output.split(/\r?\n\r?\n/);
  const [status = '', ...lines] = head.split(/\r?\n/);
  const headers = Object.fromEntries(lines.map((line) => [line.split(':')[0].toLowerCase(), line.split(':').slice(1).join(':').trim()]));
  return { status: Number(status.split(' ')[1]), headers, body: JSON.parse(body.join('\n')) };
}

async function commandsOf(readme, clone, env) {
  const url = `http://127.0.0.1:${env.PORT}`;
  const here = (text) => text.replaceAll(standard, url);
  const service = start(blockOf(readme, 'npm start').split('\n')[0], clone, env);
  try {
    const deadline = Date.now() + startWithinMs;
    while (!service.hasEnded() && Date.now() < deadline && !service.said().includes('Leadgate is ready')) await pause(100);
    hold('npm start reports that it is ready, and it is', await isReady(url));
    if (tarball) hold('npm start builds nothing', !service.said().includes('Building'));
    const ui = `http://127.0.0.1:${env.TEMPORAL_UI_PORT}`;
    for (const [what, address] of Object.entries({ API: url, reference: `${url}/docs`, console: `${url}/console`, 'Temporal UI': ui }))
      hold(`npm start prints the address of the ${what}`, service.said().includes(address));
    for (const address of [`${url}/docs`, `${url}/console`, ui]) hold(`${address} answers`, await answersAt(address));

    const { stdout } = await shell(here(blockOf(readme, 'curl')), env);
    const { status, headers, body } = answerIn(stdout);
    const leadId = headers['x-lead-id'];
    hold('the lead is answered 200', status === 200);
    hold('its answer is marked as from the sandbox', headers['x-leadgate-sandbox'] === 'true');
    hold('its headers name the lead and the run', Boolean(leadId && headers['x-workflow-id']));
    hold(
      'the record has the result of each step',
      body.emailCheckResult?.emailExists === false && Number.isInteger(body.rtResponse?.PatientID),
    );

    const [, ask] = /`(curl -s [^`]*<X-Lead-Id>)`/.exec(readme) ?? [];
    if (!ask) throw new Error('The README does not show how to read a lead');
    const lead = JSON.parse((await shell(here(ask.replace('<X-Lead-Id>', leadId)), env)).stdout);
    hold('the lead is delivered, with its steps', lead.state === 'delivered' && lead.steps?.length > 0);

    const parked = answerIn((await shell(here(blockOf(readme, 'curl', 'comment-422')), env)).stdout);
    hold('the lead with a refused comment is answered 422, and is parked', parked.status === 422 && parked.body.state === 'parked');

    const replayed = await promisify(execFile)('npx', ['leadgate', 'replay', leadId], { cwd: clone, env });
    hold('its run replays with the code of the build', replayed.stdout.includes('The code would do the same'));
  } catch (error) {
    console.error(error.message);
    problems.push('a command of the README');
  }
  service.sendSignal('SIGINT');
  for (const deadline = Date.now() + stopWithinMs; service.sendSignal(0) && Date.now() < deadline;) await pause(100);
  hold('Ctrl-C stops all processes', service.hasEnded() && !service.sendSignal(0) && !(await answersAt(`${url}/health/live`)));
  service.sendSignal('SIGKILL');
  if (problems.length > 0) console.error(service.said());
}

function unpack(file, to) {
  mkdirSync(to);
  execFileSync('tar', ['-x', '-f', file, '-C', to, '--strip-components=1']);
}

const dir = mkdtempSync(join(tmpdir(), 'leadgate-readme-'));
try {
  await build();
  const clone = join(dir, 'leadgate');
  if (tarball) unpack(tarball, clone);
  else freshCopy(clone);
  await commandsOf(readFileSync(join(clone, 'README.md'), 'utf8'), clone, await environment(join(clone, '.data'), {}));
} catch (error) {
  console.error(error.message);
  problems.push('set-up');
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(`readme: ${problems.length > 0 ? `failed: ${problems.join('; ')}` : 'passed'}; Node ${process.version}`);
process.exitCode = problems.length > 0 ? 1 : 0;
