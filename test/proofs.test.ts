/** The commands of package.json, and the list of proofs that `.ci/run` and `npm run proofs` share. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pictureDigest, recordedDigest } from './browser/pictures';

const projectDir = join(__dirname, '..');
const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const isThere = (path: string) => existsSync(join(projectDir, path));
const { scripts, engines } = JSON.parse(read('package.json')) as { scripts: Record<string, string>; engines: { node: string } };

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout } = spawnSync(process.execPath, [join(projectDir, 'scripts', script), ...args], { env, encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
}
const proofs = (args: readonly string[], env?: NodeJS.ProcessEnv) => run('proofs.mjs', args, env);

const rows = proofs(['--list']).lines.map((line) => line.split(' | '));
const commands = rows.map(([, command = '']) => command);
const firstWords = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0] ?? '');
const names: Readonly<Record<string, readonly string[]>> = {
  proofs: rows.map(([name = '']) => name),
  drill: firstWords(run('run.mjs', ['drill', '--list']).lines),
  bench: firstWords(run('run.mjs', ['bench', '--list']).lines),
};

const isKnown = (script: string, name: string) =>
  script in scripts && (name === '' || name.startsWith('--') || (names[script]?.includes(name) ?? true));

/** The commands in a text that nothing answers to. */
const unknownIn = (text: string) =>
  [...text.matchAll(/npm run ([\w:-]+)(?: -- ([\w-]+))?/g)]
    .filter(([, script = '', name = '']) => !isKnown(script, name))
    .map(([command]) => command);

const entries = (dir: string) => readdirSync(join(projectDir, dir), { encoding: 'utf8' }).map((name) => join(dir, name));

it('every suite and every check is a proof', () => {
  const suites = [
    ...entries('.').filter((path) => /^jest\.\w+\.config\.js$/.test(path)),
    ...entries('scripts').filter((path) => /\/test-[\w-]+\.mjs$/.test(path)),
    ...entries('test').flatMap((dir) => (isThere(join(dir, 'main.ts')) ? [join(dir, 'main.ts')] : [])),
  ];
  expect(suites.length).toBeGreaterThan(5);
  const checks = scripts.ci?.split(' && ').slice(1) ?? [];
  expect(checks.length).toBeGreaterThan(5);
  expect([...suites, ...checks].filter((wanted) => !commands.some((command) => command.includes(wanted)))).toEqual([]);
});

it('what a proof, a drill or a benchmark runs is there', () => {
  expect(commands.filter((command) => !/^(npm test|npm run|npx prettier|node scripts\/bootstrap\.mjs run) /.test(command))).toEqual([]);
  expect(unknownIn(commands.join('\n'))).toEqual([]);
  const files = [read('scripts/run.mjs'), ...commands].flatMap((text) => text.match(/\b(?:bench|scripts|test)\/[\w/-]+\.\w+/g) ?? []);
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});

const pages = ['.', 'docs', 'docs/decisions', 'docs/tools', ...entries('tools')].flatMap(entries).filter((path) => path.endsWith('.md'));

it('the README names the Node versions of the proofs, and the oldest of package.json', () => {
  const [, oldest = '', named = ''] = /Node ([\d.]+) or newer; the tests run on ([\d, and]+\d)/.exec(read('README.md')) ?? [];
  expect(engines.node).toBe(`>=${oldest}.0`);
  const installed = [...read('scripts/install-node.mjs').matchAll(/(\d+): '\1\.\d+\.\d+'/g)].map(([, major]) => major);
  expect(installed.length).toBeGreaterThan(2);
  expect(named.match(/\d+/g)).toEqual(installed);
  const own = process.versions.node.split('.')[0];
  expect(installed.filter((major) => major !== own && !names.proofs?.includes(`tests-node-${major}`))).toEqual([]);
});

it('every command that the documentation names is there', () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap((page) => unknownIn(read(page)))).toEqual([]);
});

/** The ids that GitHub gives to the headings of a page. */
const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The files of this project that a page links to or shows, with the heading. */
const linksIn = (page: string) =>
  [...read(page).matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"/g)]
    .map(([, link = '', image = '']) => link || image)
    .filter((link) => !/^(?:https?|mailto):/.test(link))
    .map((link) => {
      const [path = '', heading] = link.split('#');
      return { page, link, path: path ? join(dirname(page), path) : page, heading };
    });

describe('the documentation', () => {
  const links = pages.flatMap(linksIn);

  it('links to files and headings that are there', () => {
    expect(links.length).toBeGreaterThan(100);
    const isDead = ({ path, heading }: (typeof links)[0]) => !isThere(path) || (heading && !headingsOf(path).includes(heading));
    expect(links.filter(isDead)).toEqual([]);
  });

  it('shows every picture, none larger than 150 KB', () => {
    const pictures = entries('docs/images').filter((path) => path.endsWith('.png'));
    expect(pictures.length).toBeGreaterThan(4);
    expect(pictures.filter((path) => !links.some((link) => link.path === path))).toEqual([]);
    expect(pictures.filter((path) => statSync(join(projectDir, path)).size > 150_000)).toEqual([]);
  });

  it('shows the console as it is; when this fails: npm run screenshots', () =>
    expect(pictureDigest() === readFileSync(recordedDigest, 'utf8')).toBe(true));
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

it.each(['bench', 'drill'])('a name that no %s has is a failure, and shows the names', (kind) => {
  const { status, lines } = run('run.mjs', [kind, 'nothing']);
  expect(firstWords(lines)).toEqual(names[kind]);
  expect(status).toBe(1);
});
