/** Builds an earlier commit of this clone in a git worktree of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDir } from '../../src/config/config';

export interface EarlierBuild {
  /** The commit's hash and subject. */
  readonly commit: string;
  readonly dist: string;
  remove(): void;
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: projectDir, encoding: 'utf8', stdio: 'pipe' }).trim();

function resolved(name: string): string | undefined {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    return undefined;
  }
}

/** The newest commit of main that the working tree is ahead of. */
function commitBefore(): string {
  const head = git('rev-parse', 'HEAD');
  const main = resolved('main') ?? resolved('origin/main');
  const fork = main && git('merge-base', main, head);
  if (fork && fork !== head) return fork;
  return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD~1') : head;
}

/** Hard-links the packages of this clone if the lockfile is the same; otherwise installs them. */
function install(dir: string): void {
  const lockfile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  try {
    if (lockfile(dir) !== lockfile(projectDir)) throw new Error('other packages');
    execFileSync('cp', ['-al', join(projectDir, 'node_modules'), join(dir, 'node_modules')], { stdio: 'pipe' });
  } catch {
    rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir, stdio: ['ignore', 2, 2] });
  }
}

export function earlierBuild(given?: string): EarlierBuild {
  const commit = given === undefined ? commitBefore() : resolved(given);
  if (commit === undefined) throw new Error(`Unknown commit: ${given}`);
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-earlier-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(dir, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  process.once('exit', remove);
  git('worktree', 'add', '--detach', '--force', dir, commit);
  install(dir);
  execFileSync(process.execPath, [join(dir, 'scripts/bootstrap.mjs'), 'build'], { cwd: dir, stdio: ['ignore', 2, 2] });
  return { commit: git('log', '-1', '--format=%h %s', commit), dist: join(dir, 'dist'), remove };
}
