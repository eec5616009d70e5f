/**
 * `npm run proofs -- [--long] [--list] [name …]`: runs every proof of the project, or the named ones. Arguments after one name replace those
 * of the table, and the output goes to the terminal: `npm run proofs -- faults --trials 20 kill-worker`. `.ci/run` uses `--ci`, which selects
 * the proofs that a bare machine can run and installs missing Debian packages. A proof that cannot run counts as failed.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missing } from './missing-programs.mjs';
import { installNode, majors, withNode } from './install-node.mjs';
import { firstLines, isStopped, jestFound, lastLines, runToEnd } from './run-proof.mjs';

const anew = String(Math.floor(Math.random() * 1e6));

/** The quick faults, and one of each other kind: a killed, frozen or stopped process during a send, a full disk, wrong clocks. */
const someFaults = [
  ...['quick', 'kill-all send', 'kill-server send', 'freeze-worker send', 'freeze-engine send', 'stop-engine'],
  ...['same person, kill-worker', 'disk', 'clock jumps', 'soak'],
];

/** The proof `tests` runs on this one. */
const ownMajor = Number(process.versions.node.split('.')[0]);

const program = (file) => `node scripts/bootstrap.mjs run ${file}`;
const contract = { command: program('scripts/test-contract.mjs'), needs: ['Python'], waits: true };
const faults = { command: program('test/faults/main.ts'), needs: ['libfaketime'] };
const readme = { command: program('scripts/test-readme.mjs'), needs: ['curl'], minutes: 1 };
const tests = { command: 'npm test --', jest: true, minutes: 9 };

/**
 * `args` are the default arguments. `minutes` is the time on two idle cores. A `jest` proof counts its tests; any other proof counts as one.
 * `node` is the Node version, if not the current one. `when`: `.ci/run` skips `home` proofs, and `long` proofs need `--long` or their name.
 * A proof with `waits` is mostly idle, so the next proofs run concurrently.
 */
const proofs = [
  { name: 'lint', command: 'npm run lint', minutes: 1 },
  { name: 'format', command: 'npx prettier --check . --log-level warn', minutes: 1 },
  { name: 'types', command: 'npm run typecheck', minutes: 1 },
  { name: 'unused', command: 'npm run unused', minutes: 1 },
  { name: 'commits', command: 'npm run commits', minutes: 1 },
  { name: 'changelog', command: 'npm run changelog -- --check', minutes: 1 },
  { name: 'tests', ...tests },
  { name: 'readme', ...readme },
  { name: 'readme-node-24', ...readme, node: 24 },
  { name: 'contract', ...contract, args: ['--seed', '4711'], minutes: 11 },
  // The other phases send the same requests with every seed.
  { name: 'contract-anew', ...contract, args: ['--seed', anew, '--phases', 'fuzzing,stateful'], minutes: 7 },
  { name: 'browser', command: 'npm test -- --config jest.browser.config.js', jest: true, needs: ['Chromium'], minutes: 10 },
  {
    name: 'cluster',
    command: program('test/cluster/main.ts'),
    args: ['--seed', anew],
    needs: ['Go', 'a Postgres server', 'OpenSSL'],
    minutes: 7,
  },
  { name: 'tls', command: program('scripts/test-tls.mjs'), needs: ['nginx', 'Caddy', 'OpenSSL', 'curl'], minutes: 2 },
  { name: 'chart', command: program('scripts/test-chart.mjs'), needs: ['Go', 'OpenSSL'], minutes: 2 },
  { name: 'faults', ...faults, args: ['--seed', anew, '--trials', '4', '--soak', '200', ...someFaults], minutes: 6 },
  { name: 'restore', command: 'npm run drill -- restore', args: ['--seed', anew, '--rounds', '1', '--leads', '40'], minutes: 1 },
  { name: 'upgrade', command: 'npm run drill -- upgrade', minutes: 2, when: 'home' },
  { name: 'release', command: program('scripts/test-release.mjs'), needs: ['Go', 'OpenSSL', 'curl'], minutes: 7, when: 'home' },
  { name: 'n8n', command: program('scripts/test-n8n.mjs'), minutes: 3, when: 'home' },
  { name: 'n8n-nodes', command: program('scripts/test-n8n-nodes.mjs'), minutes: 3, when: 'home' },
  { name: 'plain-n8n', command: program('scripts/test-plain-n8n.mjs'), minutes: 2, when: 'long' },
  { name: 'sdk', command: 'npm run drill -- sdk', needs: ['Python'], minutes: 10, when: 'long' },
  { name: 'all-faults', ...faults, args: ['--seed', anew], minutes: 40, when: 'long' },
  ...majors.filter((node) => node !== ownMajor).map((node) => ({ name: `tests-node-${node}`, ...tests, node, when: 'long' })),
];

const options = ['--ci', '--long', '--list'];
const given = process.argv.slice(2);
const [isCi, isLong, isList] = options.map((option) => given.includes(option));
const words = given.filter((word) => !options.includes(word));
const isName = (word) => proofs.some(({ name }) => name === word);
/** The arguments from the first word that is not the name of a proof. They are for the proof before it. */
const own = words.slice([...words, ''].findIndex((word) => !isName(word)));
const names = words.slice(0, words.length - own.length);

const chosen = proofs.filter(({ name, when }) =>
  names.length > 0 ? names.includes(name) : when === undefined || (when === 'home' && !isCi) || (when === 'long' && isLong),
);

const quoted = (word) => (/^[\w./=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
const commandOf = ({ command, args = [] }) => [command, ...args.map(quoted)].join(' ');
const environmentOf = async ({ node }) => (node ? withNode((await installNode(node)).node) : process.env);

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The time-out of a proof, which allows for a busy machine and installations. A proof that hangs must not block the others. */
const mostMs = ({ minutes }) => Math.min((10 + 3 * minutes) * minuteMs, endsAt - performance.now());
/** `.ci/run` has ninety minutes; proofs that do not fit are reported as failed. */
const endsAt = isCi ? 85 * minuteMs : Infinity;

const took = (ms) =>
  ms < minuteMs ? `${Math.round(ms / 1000)} s` : `${Math.floor(ms / minuteMs)} min ${Math.round((ms % minuteMs) / 1000)} s`;

const project = fileURLToPath(new URL('..', import.meta.url));

async function prove(proof, dir) {
  const { name, needs = [], jest } = proof;
  const [file, report] = [join(dir, `${name}.log`), join(dir, `${name}.json`)];
  const log = openSync(file, 'w');
  try {
    const reason = mostMs(proof) > 0 ? missing(needs, { mayInstall: isCi, log }) : 'no time was left for it';
    if (reason) return { passed: 0, failed: 1, lines: [reason] };
    const command = [commandOf(proof), ...(jest ? ['--json', `--outputFile=${report}`] : [])].join(' ');
    const wrong = await runToEnd(command, { env: await environmentOf(proof), log, mostMs: mostMs(proof) });
    const found = jest ? jestFound(report) : { passed: wrong ? 0 : 1, failed: wrong ? 1 : 0, reasons: [] };
    const failed = found.failed || (wrong || found.passed === 0 ? 1 : 0);
    const said = found.reasons.length > 0 ? found.reasons.flatMap(firstLines) : lastLines(readFileSync(file, 'utf8'));
    return { ...found, failed, lines: failed ? [...said, wrong ?? '', `full log: ${file}`] : [] };
  } catch (error) {
    return { passed: 0, failed: 1, lines: [error.message] };
  } finally {
    closeSync(log);
  }
}

/** Runs one proof with other arguments, with its output on the terminal. */
async function proveWith(args, proof) {
  const { needs = [] } = proof;
  const wrong =
    missing(needs, { mayInstall: false }) ??
    (await runToEnd(commandOf({ ...proof, args }), { env: await environmentOf(proof), log: 'inherit', mostMs: dayMs }));
  if (wrong) console.error(wrong);
  return !wrong;
}

function list() {
  for (const { needs = [], minutes, when, ...proof } of proofs)
    console.log(
      [proof.name, commandOf(proof), `${minutes} min`, needs.length > 0 && `needs ${needs.join(', ')}`, when].filter(Boolean).join(' | '),
    );
}

/** True if all logs are empty, because no proof could run. */
const hasNothing = (dir) => readdirSync(dir).every((name) => statSync(join(dir, name)).size === 0);

async function proveAll(chosen) {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-proofs-'));
  const sum = { passed: 0, failed: 0 };
  const notRight = [];
  const proveOne = async (proof) => {
    if (isStopped()) return;
    console.log(`--- ${proof.name}: ${commandOf(proof)}`);
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
  if (notRight.length > 0) console.log(`failed: ${notRight.join('; ')}`);
  if (notRight.length === 0 || hasNothing(dir)) rmSync(dir, { recursive: true });
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 && sum.passed > 0 && !isStopped();
}

process.chdir(project);
if (isList) list();
else if (own.length > 0 && names.length === 1) process.exitCode = (await proveWith(own, chosen[0])) ? 0 : 1;
else {
  if (own.length > 0) console.error(`Unknown proof: ${own[0]}; --list shows all`);
  process.exitCode = (await proveAll(own.length > 0 ? [] : chosen)) ? 0 : 1;
}
