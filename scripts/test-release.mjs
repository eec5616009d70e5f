/**
 * `npm run proofs -- release`: makes a release of the last commit twice, in two directories and as two users of the machine would, the second
 * time without a network; compares both byte for byte, verifies them with and without Leadgate, and runs what is in the tarball and the image.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { end, hold, person, problems, stops } from './n8n/cases.mjs';
import { build, environment, isReady, startChild } from './service.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const bootstrap = join(project, 'scripts/bootstrap.mjs');
const startWithinMs = 120_000;
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? [] : ['--map-root-user'];

const dir = mkdtempSync(join(tmpdir(), 'leadgate-release-proof-'));
stops.push(() => rmSync(dir, { recursive: true, force: true }));

const shell = (command, options) => promisify(execFile)('bash', ['-c', command], { maxBuffer: 1 << 26, ...options });
/** Runs a command with its output on the terminal, and returns its status. */
const statusOf = (command, args, options) =>
  new Promise((done, refuse) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.once('error', refuse);
    child.once('exit', (status) => done(status));
  });

const key = join(dir, 'key.pem');

/** Makes a release in a clone of its own, and returns its directory. */
async function released(clone, { umask, zone, prefix = '' }) {
  await shell(`git -c safe.directory='*' clone -q '${project}' '${clone}'`);
  const env = { ...process.env, TZ: zone, RELEASE_SIGNING_KEY_FILE: key };
  const status = await statusOf('bash', ['-c', `umask ${umask}; ${prefix} npm run release`], { cwd: clone, env });
  hold(`npm run release in ${clone}`, status === 0);
  return join(clone, 'release');
}

async function verified(release) {
  const verify = (...more) => statusOf(process.execPath, [bootstrap, 'cli', 'verify-release', release, ...more]);
  const publicKey = join(dir, 'public.pem');
  await shell(`openssl pkey -in '${key}' -pubout -out '${publicKey}'`);
  hold('leadgate verifies it with the key', (await verify('--key', publicKey)) === 0);
  const page = readFileSync(join(project, 'docs/releases.md'), 'utf8');
  const [, commands = ''] = /^```sh\n(openssl .*?)^```$/ms.exec(page) ?? [];
  await shell(`set -e\n${commands}`, { cwd: release, env: { ...process.env, KEY: publicKey } })
    .then(({ stdout }) => hold('OpenSSL and sha256sum verify it, as docs/releases.md says', stdout.includes('Signature Verified')))
    .catch((error) => hold(`OpenSSL and sha256sum verify it, as docs/releases.md says (${error.message})`, false));
}

async function unpackedImage(release) {
  const root = join(dir, 'image');
  mkdirSync(root);
  const read = (name) => JSON.parse(readFileSync(join(release, 'image', name), 'utf8'));
  const blob = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
  const manifest = read(blob(read('index.json').manifests[0]));
  for (const layer of manifest.layers) await shell(`tar -xpzf '${join(release, 'image', blob(layer))}' -C '${root}'`);
  return { root, config: read(blob(manifest.config)).config };
}

/** Starts a part of the image as a container engine would, without one. */
function startInImage({ root, config }, part, settings) {
  const user = config.User.split(':');
  const inside = isRoot ? ['--setuid', user[0], '--setgid', user[1]] : [];
  const apart = ['--mount', `--mount-proc=/proc`, ...asRoot, '--root', root, '--wd', config.WorkingDir, ...inside];
  const [program, ...args] = config.Entrypoint;
  const pairs = [...config.Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)];
  const child = startChild('env', ['-i', ...pairs, 'unshare', ...apart, program, ...args, part]);
  stops.push(child.stop);
}

/** The engine and the simulators run beside the image; its API and its worker carry a lead. */
async function imageRuns(release) {
  const image = await unpackedImage(release);
  const env = await environment(join(dir, 'data'), { LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`, SANDBOX: 'on' });
  for (const part of ['engine', 'sandbox']) stops.push(startChild(process.execPath, [bootstrap, part], env).stop);
  const { PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, SANDBOX_PORT, LEADGATE_KEYS, SANDBOX } = env;
  const settings = { PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, SANDBOX_PORT, LEADGATE_KEYS, SANDBOX, LEADGATE_DATA_DIR: '/data' };
  for (const part of ['worker', 'api']) startInImage(image, part, settings);
  const url = `http://127.0.0.1:${PORT}`;
  for (const deadline = Date.now() + startWithinMs; !(await isReady(url)) && Date.now() < deadline;) await pause(200);
  hold('the API and the worker of the image are ready', await isReady(url));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/clinicsys/no-prescreen`, { method: 'POST', headers, body: JSON.stringify(person()) });
  hold(`they deliver a lead (${answer.status})`, answer.status === 200);
}

try {
  await build();
  await shell(`openssl genpkey -algorithm ed25519 -out '${key}'`);
  const one = await released(join(dir, 'one'), { umask: '022', zone: 'UTC' });
  const other = await released(join(dir, 'deeper/other'), {
    ...{ umask: '077', zone: 'Asia/Kolkata' },
    prefix: ['unshare', '--net', ...asRoot].join(' '),
  });
  const difference = await shell(`diff -r '${one}' '${other}'`).then(
    () => '',
    ({ stdout }) => stdout.slice(0, 2_000),
  );
  hold(`two releases of one commit are the same byte for byte${difference && `: ${difference}`}`, difference === '');
  await verified(other);
  const tarball = readdirSync(one).find((name) => name.endsWith('.tar.gz'));
  const readme = await statusOf(process.execPath, [bootstrap, 'run', 'scripts/test-readme.mjs', '--tarball', join(one, tarball)]);
  hold('the tarball does what the README says', readme === 0);
  await imageRuns(one);
} catch (error) {
  console.error(error.message);
  problems.push('a step');
} finally {
  await end();
}
console.log(`release: ${problems.length > 0 ? `failed: ${problems.join('; ')}` : 'passed'}`);
process.exitCode = problems.length > 0 ? 1 : 0;
