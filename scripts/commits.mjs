/** `npm run commits`: checks that every commit since this check was added has a conventional subject of at most 72 characters. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();

const mostCharacters = 72;
const form = /^(feat|fix|perf|refactor|test|docs|build|ci|style|chore|revert)(\([a-z0-9-]+\))?!?: \S.*$/;

/** Skips merges, and commits that a shallow clone lacks. */
function commits() {
  const [first] = git('log', '--format=%H', '--diff-filter=A', '--', 'scripts/commits.mjs').split('\n').slice(-1);
  const range = first ? [`${first}..HEAD`] : ['-1'];
  return git('log', '--no-merges', '--format=%h %s', ...range)
    .split('\n')
    .filter(Boolean);
}

const wrong = commits().filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return subject.length > mostCharacters || !form.test(subject);
});
for (const line of wrong)
  console.error(`Not a conventional subject of at most ${mostCharacters} characters, such as "fix(intake): …": ${line}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
