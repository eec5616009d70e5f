/**
 * `npm run proofs -- [name …] [--long] [--list]`: runs every proof of the project, or those whose name begins with a given one. `.ci/run`
 * calls it with `--ci`, which takes the proofs that a bare machine can run and installs missing Debian packages. A proof that cannot run
 * counts as failed.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { missing } from './missing-programs.mjs';
import { installNode, withNode } from './install-node.mjs';
import { firstLines, isStopped, jestFound, lastLines, runToEnd } from './run-proof.mjs';

const anew = Math.floor(Math.random() * 1e6);

/** The quick faults, and one more of each kind: a process that dies, freezes or stops during a send, a full disk, wrong clocks. */
const someFaults = [
  ...['quick', 'kill-all send', 'kill-server send', 'freeze-worker send', 'freeze-engine send', 'stop-engine'],
  ...['same person, kill-worker', 'disk', 'clock jumps', 'soak'],
];
const quoted = (names) => names.map((name) => `'${name}'`).join(' ');

/**
 * `minutes` is the time on two idle cores. `jest` says that it counts tests; any other proof counts as one. `node` is the Node to run on,
 * if not this one. `when`: `home` proofs are not in `.ci/run`, and `long` ones must be asked for. A proof with `waits` leaves most of the
 * machine idle, so the next ones run beside it.
 */
const proofs = [
  { name: 'lint', command: 'npm run lint', minutes: 1 },
  { name: 'format', command: 'npm run format:check', minutes: 1 },
  { name: 'types', command: 'npm run typecheck', minutes: 1 },
  { name: 'unused', command: 'npm run unused', minutes: 1 },
  { name: 'commits', command: 'npm run commits', minutes: 1 },
  { name: 'tests', command: 'npm test', jest: true, minutes: 7 },
  { name: 'readme', command: 'npm run test:readme', needs: ['curl'], minutes: 1 },
  { name: 'readme on Node 24', command: 'npm run test:readme', node: 24, needs: ['curl'], minutes: 1 },
  { name: 'contract', command: 'npm run test:contract -- --seed 4711', needs: ['Python'], minutes: 5, waits: true },
  {
    // The other phases send the same requests with every seed.
    name: 'contract, fresh seed',
    command: `npm run test:contract -- --seed ${anew} --phases fuzzing,stateful`,
    needs: ['Python'],
    minutes: 7,
    waits: true,
  },
  { name: 'browser', command: 'npm run test:browser', jest: true, needs: ['Chromium'], minutes: 3 },
  { name: 'cluster', command: `npm run test:cluster -- --seed ${anew}`, needs: ['Go', 'a Postgres server', 'OpenSSL'], minutes: 7 },
  {
    name: 'faults',
    command: `npm run test:faults -- --seed ${anew} --trials 4 --soak 200 ${quoted(someFaults)}`,
    needs: ['libfaketime'],
    minutes: 6,
  },
  { name: 'restore', command: `npm run drill:restore -- --seed ${anew} --rounds 1 --leads 40`, minutes: 1 },
  { name: 'upgrade', command: 'npm run drill:upgrade', minutes: 2, when: 'home' },
  { name: 'n8n', command: 'npm run test:n8n', minutes: 5, when: 'home' },
  { name: 'sdk', command: 'npm run drill:sdk', minutes: 9, when: 'long' },
  { name: 'all faults', command: `npm run test:faults -- --seed ${anew}`, needs: ['libfaketime'], minutes: 40, when: 'long' },
  { name: 'tests on Node 22', command: 'npm test', jest: true, node: 22, minutes: 7, when: 'long' },
  { name: 'tests on Node 24', command: 'npm test', jest: true, node: 24, minutes: 7, when: 'long' },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ci: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

const asked = ({ name, when }) =>
  positionals.length > 0
    ? positionals.some((beginning) => name.startsWith(beginning))
    : when === undefined || (when === 'home' && !values.ci) || (when === 'long' && values.long);

const minuteMs = 60_000;
/** The time-out of a proof. A busy machine is slower, and some things are installed first; a proof that hangs must not stop the others. */
const mostMs = ({ minutes }) => Math.min((10 + 3 * minutes) * minuteMs, endsAt - performance.now());
/** `.ci/run` has ninety minutes; proofs that do not fit are reported as such. */
const endsAt = values.ci ? 85 * minuteMs : Infinity;

const took = (ms) =>
  ms < minuteMs ? `${Math.round(ms / 1000)} s` : `${Math.floor(ms / minuteMs)} min ${Math.round((ms % minuteMs) / 1000)} s`;

const project = fileURLToPath(new URL('..', import.meta.url));

async function prove(proof, dir) {
  const { name, command, needs = [], node, jest } = proof;
  const slug = name.replaceAll(/\W+/g, '-');
  const [file, report] = [join(dir, `${slug}.log`), join(dir, `${slug}.json`)];
  const log = openSync(file, 'w');
  try {
    const reason = mostMs(proof) > 0 ? missing(needs, { mayInstall: values.ci, log }) : 'there was no time left for it';
    if (reason) return { passed: 0, failed: 1, lines: [reason] };
    const env = node ? withNode((await installNode(node)).node) : process.env;
    const whole = jest ? `${command} -- --json --outputFile=${report}` : command;
    const wrong = await runToEnd(whole, { env, log, mostMs: mostMs(proof) });
    const found = jest ? jestFound(report) : { passed: wrong ? 0 : 1, failed: wrong ? 1 : 0, reasons: [] };
    const failed = found.failed || (wrong || found.passed === 0 ? 1 : 0);
    const said = found.reasons.length > 0 ? found.reasons.flatMap(firstLines) : lastLines(readFileSync(file, 'utf8'));
    return { ...found, failed, lines: failed ? [...said, wrong ?? '', `all of it: ${file}`] : [] };
  } catch (error) {
    return { passed: 0, failed: 1, lines: [error.message] };
  } finally {
    closeSync(log);
  }
}

function list() {
  for (const { name, command, needs = [], minutes, when } of proofs)
    console.log([name, command, `${minutes} min`, needs.length > 0 && `needs ${needs.join(', ')}`, when].filter(Boolean).join(' | '));
}

/** True if no proof wrote anything, because none could run. */
const hasNothing = (dir) => readdirSync(dir).every((name) => statSync(join(dir, name)).size === 0);

async function proveAll(chosen) {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-proofs-'));
  const sum = { passed: 0, failed: 0 };
  const notRight = [];
  const proveOne = async (proof) => {
    if (isStopped()) return;
    console.log(`--- ${proof.name}: ${proof.command}`);
    const from = performance.now();
    const { passed, failed, lines } = await prove(proof, dir);
    for (const line of lines) console.log(`    ${line}`);
    console.log(`${failed ? 'NOT' : 'ok '} ${proof.name}: ${passed} passed, ${failed} failed, ${took(performance.now() - from)}`);
    sum.passed += passed;
    sum.failed += failed;
    if (failed) notRight.push(proof.name);
  };
  let waiting = Promise.resolve();
  for (const proof of chosen) {
    if (proof.waits) waiting = waiting.then(() => proveOne(proof));
    else await proveOne(proof);
  }
  await waiting;
  if (notRight.length > 0) console.log(`not right: ${notRight.join('; ')}`);
  if (notRight.length === 0 || hasNothing(dir)) rmSync(dir, { recursive: true });
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 && sum.passed > 0 && !isStopped();
}

process.chdir(project);
const chosen = proofs.filter(asked);
if (chosen.length === 0) console.error('There is no proof of such a name; --list shows them');
if (values.list) list();
else process.exitCode = (await proveAll(chosen)) ? 0 : 1;
