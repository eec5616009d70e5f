/**
 * `npm run proofs -- contract [--seed n] [--examples 20] [--phases fuzzing,stateful]`: tests the reference against the running service.
 * Two validators check it, Schemathesis sends valid and invalid requests to every operation, and a client with generated types sends a
 * lead. The default seed is random; the last line shows it. `--phases` selects phases of Schemathesis, all by default. It needs
 * Python 3.11; its packages are pinned by hash and installed into a cache.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cached, run } from './cached.mjs';
import { startService } from './service.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const own = join(project, 'scripts', 'contract');
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    examples: { type: 'string', default: '20' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
  },
});
const { seed, examples, phases } = values;
const key = 'key-of-the-contract-test';
const minuteMs = 60_000;

const isWindows = process.platform === 'win32';
const inVenv = (venv, name) => join(venv, isWindows ? 'Scripts' : 'bin', name);

const hashOf = (...files) =>
  files
    .reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);

const requirements = join(own, 'requirements.txt');
const makeVenv = () =>
  cached(`contract-python-${hashOf(requirements)}`, async (dir) => {
    console.log('Installing Schemathesis …');
    await run('python3', ['-c', 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)']);
    await run('python3', ['-m', 'venv', dir]);
    const options = ['--quiet', '--disable-pip-version-check', '--require-hashes', '--only-binary', ':all:'];
    await run(inVenv(dir, 'python'), ['-m', 'pip', 'install', ...options, '-r', requirements]);
  });

const client = join(own, 'client');
const makeClient = () =>
  cached(`contract-client-${hashOf(join(client, 'package-lock.json'), join(client, 'package.json'))}`, async (dir) => {
    console.log('Installing the generator of the typed client …');
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(client, file), join(dir, file));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: dir });
  });

async function validate(venv, document) {
  await run(inVenv(venv, 'openapi-spec-validator'), [document]);
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const { valid, errors } = await new Validator().validate(document);
  if (!valid) throw new Error(`The document is not valid OpenAPI: ${JSON.stringify(errors)}`);
}

async function fuzz(venv, url, dir) {
  const bounds = ['--phases', phases, '--max-examples', examples, '--seed', seed, '--workers', '1', '--request-timeout', '70'];
  const config = ['--config-file', join(own, 'schemathesis.toml')];
  const python = { PYTHONPATH: own, PYTHONDONTWRITEBYTECODE: '1', SCHEMATHESIS_HOOKS: 'hooks' };
  const env = { ...process.env, ...python, LEADGATE_URL: url, LEADGATE_API_KEY: key };
  await run(
    inVenv(venv, 'schemathesis'),
    [...config, 'run', `${url}/openapi.json`, '-H', `x-gateway-key: ${key}`, '--checks', 'all', ...bounds],
    {
      cwd: dir,
      env,
      timeout: 40 * minuteMs,
      // SIGINT lets it print what it has found.
      killSignal: 'SIGINT',
    },
  );
}

async function useClient(packages, url, document, dir) {
  const at = join(packages, 'use');
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at);
  for (const file of ['use.ts', 'tsconfig.json', 'package.json']) cpSync(join(client, file), join(at, file));
  const bin = (path) => join(packages, 'node_modules', path);
  await run(process.execPath, [bin('openapi-typescript/bin/cli.js'), document, '-o', join(at, 'schema.d.ts')], { cwd: dir });
  await run(process.execPath, [bin('typescript/bin/tsc'), '-p', at]);
  await run(process.execPath, [join(at, 'out', 'use.js'), url, key]);
}

const work = mkdtempSync(join(tmpdir(), 'leadgate-contract-'));
const failed = [];
let service;
try {
  const [venv, packages] = [await makeVenv(), await makeClient()];
  service = await startService({
    GATEWAY_API_KEYS: `contract:${key}:leads+board+operator`,
    // A generated lead may wait for another that is parked. Wait three seconds for it, not 25.
    SYNC_WAIT_MS: '3000',
    // Send the test alerts to the sandbox's board.
    ALERT_BOARD: 'project-template/list-up-next',
    // For the X-Callback-URL in schemathesis.toml. Nobody listens there.
    ...{ EVENTS_HOSTS: '127.0.0.1:9', EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
  });
  const document = join(work, 'openapi.json');
  const headers = { 'x-gateway-key': key };
  writeFileSync(document, await (await fetch(`${service.url}/openapi.json`, { headers })).text());
  const checks = {
    'two validators': () => validate(venv, document),
    'typed client': () => useClient(packages, service.url, document, work),
    schemathesis: () => fuzz(venv, service.url, work),
  };
  for (const [name, check] of Object.entries(checks)) {
    console.log(`--- ${name}`);
    await check().catch((error) => (console.error(error.message), failed.push(name)));
  }
} catch (error) {
  console.error(error.message);
  failed.push('set-up');
} finally {
  await service?.stop();
  rmSync(work, { recursive: true, force: true });
}
console.log(`contract: ${failed.length > 0 ? `failed: ${failed.join(', ')}` : 'passed'}; seed ${seed}, ${examples} examples, ${phases}`);
process.exitCode = failed.length > 0 ? 1 : 0;
