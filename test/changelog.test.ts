/** `npm run changelog`, on a small repository of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const script = join(__dirname, '../scripts/changelog.mjs');
const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' };
const env = { ...process.env, ...person };

const files = {
  'package.json': '{\n  "name": "leadgate",\n  "version": "1.0.0"\n}\n',
  'package-lock.json':
    '{\n  "name": "leadgate",\n  "version": "1.0.0",\n  "packages": {\n    "": {\n      "name": "leadgate",\n      "version": "1.0.0"\n    }\n  }\n}\n',
  'tools/client/package.json': '{\n  "version": "1.0.0"\n}\n',
  'tools/n8n-nodes-leadgate/package.json': '{\n  "version": "1.0.0"\n}\n',
  'tools/client/README.md': '# Client\n\nnpm install /path/to/leadgate-client-1.0.0.tgz   # in your project\n',
  'docker-compose.yml': 'x:\n  image: leadgate:1.0.0\n',
  'deploy/helm/leadgate/Chart.yaml': 'apiVersion: v2\nversion: 1.0.0\nappVersion: 1.0.0\n',
  'CHANGELOG.md': '# Changelog\n\n## [1.0.0] - 2026-01-01\n\n### Added\n\n- All of it.\n',
};

let dir: string;
const at = (path: string) => join(dir, path);
const read = (path: string) => readFileSync(at(path), 'utf8');
const changelog = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: dir, env, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}`.trimEnd() };
};
const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, env, stdio: 'pipe' });
const commit = (subject: string) => git('commit', '--quiet', '--allow-empty', '--all', '--message', subject);
const replace = (path: string, from: string, to: string) => writeFileSync(at(path), read(path).replace(from, to));

const section = `## [1.1.0] - ${new Date().toISOString().slice(0, 10)}

### Added

- intake: take a lead

### Changed

- **Breaking.** api: answer in one form

### Fixed

- lose nothing

### Security

- security: show nothing
`;

/** A repository with two releases; the second was made by the command. */
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'leadgate-changelog-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  git('init', '--quiet');
  git('add', '--all');
  commit('feat: all of it');
  commit('chore(release): 1.0.0');
  for (const subject of ['feat(intake): take a lead', 'docs: say so', 'perf(api)!: answer in one form']) commit(subject);
  for (const subject of ['fix: lose nothing', 'fix: lose nothing', 'fix(security): show nothing']) commit(subject);
  expect(changelog()).toEqual({ status: 0, said: section.split('\n\n').slice(1).join('\n\n').trimEnd() });
  expect(changelog('1.1.0').status).toBe(0);
  // The release can be checked before it is committed.
  expect(changelog('--check')).toEqual({ status: 0, said: 'CHANGELOG.md fits' });
  commit('chore(release): 1.1.0');
  commit('fix: find it later');
});
afterAll(() => rmSync(dir, { recursive: true }));
afterEach(() => git('checkout', '--quiet', '.'));

it('a release writes the section from the subjects, and the version everywhere', () => {
  expect(read('CHANGELOG.md')).toBe(files['CHANGELOG.md'].replace('## [1.0.0]', `${section}\n## [1.0.0]`));
  for (const path of Object.keys(files).filter((name) => name !== 'CHANGELOG.md')) {
    expect(read(path)).toContain('1.1.0');
    expect(read(path)).not.toContain('1.0.0');
  }
});

it('the check passes whatever was committed since, which the command without arguments lists', () => {
  expect(changelog('--check')).toEqual({ status: 0, said: 'CHANGELOG.md fits' });
  expect(changelog()).toEqual({ status: 0, said: '### Fixed\n\n- find it later' });
});

it.each([
  ['CHANGELOG.md', '### Fixed\n\n- lose nothing\n\n', '', '1.1.0 lacks Fixed: - lose nothing'],
  ['CHANGELOG.md', 'take a lead', 'take two leads', '1.1.0 lacks Added: - intake: take a lead'],
  ['CHANGELOG.md', '- lose nothing\n', '- lose nothing\n- win\n', '1.1.0 has what no commit says: Fixed: - win'],
  ['CHANGELOG.md', '# Changelog', '# Changes', 'it does not begin with "# Changelog"'],
  ['CHANGELOG.md', '2026-01-01', '2026-02-30', '"## [1.0.0] - 2026-02-30" is not like "## [1.0.0] - 2026-11-28"'],
  ['CHANGELOG.md', '2026-01-01', '2999-01-01', 'the newest version must come first'],
  ['CHANGELOG.md', '### Fixed', '### Mended', '1.1.0: "Mended" is none of Added, Changed, Deprecated, Removed, Fixed, Security'],
  ['CHANGELOG.md', '- All of it.\n', '', '1.0.0: "Added" has no line'],
  ['CHANGELOG.md', '[1.0.0]', '[0.9.0]', 'no commit is "chore(release): 0.9.0"'],
  ['package.json', '1.1.0', '1.2.0', 'package.json has the version 1.2.0, and the newest of CHANGELOG.md is 1.1.0'],
  ['docker-compose.yml', '1.1.0', 'new', 'docker-compose.yml has the version new, and the newest of CHANGELOG.md is 1.1.0'],
])('in %s, a change of %j to %j is found', (path, from, to, problem) => {
  replace(path, from, to);
  const { status, said } = changelog('--check');
  expect([status, said.split('\n')]).toEqual([1, expect.arrayContaining([`CHANGELOG.md: ${problem}`])]);
});

it('an archive without commits is checked in all but them, and says so', () => {
  renameSync(at('.git'), at('.away'));
  try {
    expect(changelog('--check')).toEqual({ status: 0, said: 'CHANGELOG.md fits, but there are no commits here to compare it with' });
    replace('package.json', '1.1.0', '1.2.0');
    expect(changelog('--check').status).toBe(1);
  } finally {
    renameSync(at('.away'), at('.git'));
  }
});

it.each(['1.1.0', 'v2', '2.0'])('%s cannot be released', (version) => expect(changelog(version).status).toBe(1));
