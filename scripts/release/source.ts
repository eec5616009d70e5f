/** Builds the last commit in a directory of its own, from nothing but the lockfile. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';
import { run } from '../../src/engine/search-context';

const timeoutMs = 10 * 60_000;

export interface Commit {
  readonly id: string;
  readonly timeS: number;
}

const git = (...args: string[]): Promise<string> => run('git', ['-c', 'safe.directory=*', '-C', projectDir, ...args], { timeoutMs });

/** A release is of a commit, so a change beside it is refused: whoever builds the commit again would not get the same. */
export async function lastCommit(): Promise<Commit> {
  const changes = (await git('status', '--porcelain')).split('\n').filter(Boolean);
  if (changes.length > 0) throw new Error(`A release is of a commit. Commit or remove these changes first:\n${changes.join('\n')}`);
  const [id = '', time] = (await git('log', '-1', '--format=%H %ct')).trim().split(' ');
  return { id, timeS: Number(time) };
}

/** Takes the packages from npm's cache; only if one is not there does it ask the registry. */
async function npmCi(cwd: string, ...more: string[]): Promise<void> {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...more];
  await run('npm', [...args, '--offline'], { cwd, timeoutMs }).catch(() => run('npm', args, { cwd, timeoutMs }));
}

/** Returns the built source, with the packages that a build needs. */
export async function builtSource({ id }: Commit, dir: string): Promise<string> {
  const [source, archive] = [join(dir, 'source'), join(dir, 'source.tar')];
  mkdirSync(source);
  await git('archive', '--format=tar', `--output=${archive}`, id);
  await run('tar', ['-x', '-f', archive, '-C', source]);
  await npmCi(source, '--include=dev');
  await run(process.execPath, [join(source, 'scripts/bootstrap.mjs'), 'build'], { cwd: source, timeoutMs });
  return source;
}

/** Returns a directory with the packages that the service needs in an image. */
export async function productionPackages(source: string, dir: string): Promise<string> {
  const packages = join(dir, 'packages');
  mkdirSync(packages);
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(source, name), join(packages, name));
  await npmCi(packages, '--omit=dev');
  return join(packages, 'node_modules');
}

export function versionOf(source: string): string {
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  return version;
}
