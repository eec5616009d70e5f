/** The list of proofs that `.ci/run` and `npm run proofs` share. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const projectDir = join(__dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

function proofs(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout } = spawnSync(process.execPath, [join(projectDir, 'scripts/proofs.mjs'), ...args], { env, encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
}

const commands = proofs(['--list']).lines.map((line) => line.split(' | ')[1] ?? '');

it('every suite and every check of package.json is a proof', () => {
  const suites = Object.keys(scripts).filter((name) => name.startsWith('test:'));
  expect(suites.length).toBeGreaterThan(4);
  const wanted = ['npm test', ...['lint', 'format:check', 'typecheck', 'unused', ...suites].map((name) => `npm run ${name}`)];
  expect(wanted.filter((start) => !commands.some((command) => command.startsWith(start)))).toEqual([]);
});

it('what a proof runs is a script of package.json', () => {
  const names = commands.map((command) => /^npm (?:run )?(\S+)/.exec(command)?.[1]);
  expect(names.filter((name) => !name || !(name in scripts))).toEqual([]);
});

it('a proof that this machine cannot run fails, says what is missing, and leaves nothing', () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-no-proof-'));
  const env = { PATH: join(__dirname, 'no-such-directory'), TMPDIR: dir };
  const { status, lines } = proofs(['browser'], env);
  expect(lines).toContain('    Chromium is not on this machine (Debian: apt-get install chromium)');
  expect(lines.at(-1)).toBe('0 passed, 1 failed');
  expect(status).toBe(1);
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

it('a name that no proof has is a failure', () => {
  const { status, lines } = proofs(['nothing']);
  expect(lines.at(-1)).toBe('0 passed, 0 failed');
  expect(status).toBe(1);
});
