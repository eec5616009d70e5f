/** The start and the stop of a process, as a terminal does them. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { freePort } from '../../src/engine/ports';
import { until } from '../support/until';

const run = async (settings: Record<string, string>, part = 'sandbox') => {
  const child = spawn(process.execPath, [join(projectDir, 'scripts/bootstrap.mjs'), part], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said, ended: once(child, 'exit') };
};

it('a stop that is asked for twice, by the terminal and by npm, is one stop in order', async () => {
  const { child, said, ended } = await run({ SANDBOX_PORT: String(await freePort()) });
  await until(() => said().includes('sandbox listening'), 'the sandbox listens');
  // Both are there when it goes on, so that neither comes when it has ended already; two of one kind would be one.
  for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
  expect(await ended).toEqual([0, null]);
});

it('wrong settings are told all at once, with what is allowed and what was given, and with status 1', async () => {
  const { said, ended } = await run({ SANDBOX_PORT: 'ninety', SANDBOX: 'perhaps' });
  expect(await ended).toEqual([1, null]);
  expect(said()).toMatch(/SANDBOX: must be one of .*, not "perhaps"\n.*SANDBOX_PORT: must be .*, not "ninety"\n/);
});

const keys = `k1:${randomBytes(32).toString('base64')}`;

it.each([
  ['LEADGATE_DATA_DIR', '/dev/null/data', 'worker', '', /^LEADGATE_DATA_DIR: \/dev\/null\/data cannot be used: ENOTDIR.*\n$/],
  ['HOST', 'no-host.invalid', 'start', keys, /^HOST must be an address or a name of this machine; no-host\.invalid .*\n$/],
])('%s=%s is told in one line', async (setting, value, part, given, line) => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-process-'));
  const { said, ended } = await run({ LEADGATE_DATA_DIR: dir, LEADGATE_KEYS: given, LEADGATE_KEYS_FILE: '', [setting]: value }, part);
  expect(await ended).toEqual([1, null]);
  expect(said()).toMatch(line);
  rmSync(dir, { recursive: true, force: true });
});

it('a data directory of a newer build is refused before anything is written into it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-process-'));
  writeFileSync(join(dir, 'data-version'), '2\n');
  const { said, ended } = await run({ LEADGATE_DATA_DIR: dir, LEADGATE_KEYS: '', LEADGATE_KEYS_FILE: '' }, 'start');
  expect(await ended).toEqual([1, null]);
  expect(said()).toMatch(/^The data directory \S+ has version 2, and this build .* Start that build or a newer one, or restore .*\n$/);
  expect(readdirSync(dir)).toEqual(['data-version']);
  rmSync(dir, { recursive: true });
});
