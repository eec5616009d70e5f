/** Copies the project as it is committed. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Copies by `git archive`, which takes what is committed and nothing else, whoever owns the files. */
export function freshCopy(to) {
  const git = (...args) => execFileSync('git', ['-c', `safe.directory=*`, '-C', project, ...args], { maxBuffer: 1 << 28 });
  if (git('status', '--porcelain').length > 0) console.log('What is not committed is not in the copy.');
  mkdirSync(to);
  execFileSync('tar', ['-x', '-C', to], { input: git('archive', '--format=tar', 'HEAD') });
}
