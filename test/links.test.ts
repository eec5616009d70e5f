/** Every link of the documentation, and every page that code names, is there: the file and the heading, by GitHub's rules. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const project = join(__dirname, '..');

/** Leaves out code, in which brackets and # mean something else. */
const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^ *(```+|~~~+).*?^ *\1 *$/gms, '').replaceAll(/(`+)[^`\n].*?\1/g, '');

/** GitHub's id of a heading: lower case, without punctuation, with a hyphen for each space. */
const idOf = (heading: string): string =>
  heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** The ids of a page. GitHub numbers those that come again. */
function idsIn(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const text = markdown.replaceAll(/^ *(```+|~~~+).*?^ *\1 *$/gms, '');
  const headings = [...text.matchAll(/^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/gm)].map(([, heading = '']) => {
    const id = idOf(heading);
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  });
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id);
  return new Set([...headings, ...named]);
}

/** The targets of links and images, of reference definitions and of HTML. */
const targetsIn = (markdown: string): readonly string[] =>
  [
    ...withoutCode(markdown).matchAll(
      /\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)?)>?(?: +"[^"]*")?\)|^ {0,3}\[[^\]]+\]: +<?(\S+?)>?(?: |$)|(?:href|src)="([^"]+)"/gm,
    ),
  ].map(([, inline, defined, html]) => inline ?? defined ?? html ?? '');

/** Pages that code names, such as `docs/operating.md#states`, also within a URL. */
const pagesNamedIn = (code: string): readonly string[] => code.match(/\bdocs\/[\w./-]*\w\.md(?:#[\w-]+)?/g) ?? [];

/** Returns why a target leads nowhere. */
function whyDead(root: string, from: string, target: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(target)) return undefined;
  const [path = '', id] = decodeURIComponent(target).split('#');
  const file = path === '' ? join(root, from) : path.startsWith('/') ? join(root, path) : join(root, dirname(from), path);
  if (relative(root, file).startsWith('..') || !existsSync(file)) return 'no such file';
  if (id === undefined || !file.endsWith('.md') || statSync(file).isDirectory()) return undefined;
  return idsIn(readFileSync(file, 'utf8')).has(id) ? undefined : 'no such heading';
}

const deadLinks = (root: string, files: readonly string[]): readonly string[] =>
  files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const isPage = file.endsWith('.md');
    const targets = isPage ? targetsIn(text) : pagesNamedIn(text);
    return targets.flatMap((target) => {
      const why = whyDead(root, isPage ? file : 'at-the-root', target);
      return why === undefined ? [] : [`${file}: ${target}: ${why}`];
    });
  });

/** Files that may not yet be committed count, too. */
const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], { cwd: project, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(project, file)));

it('every link of a page leads to a file and a heading', () => {
  const pages = tracked('*.md');
  expect(pages.length).toBeGreaterThan(25);
  expect(pages.flatMap((page) => targetsIn(readFileSync(join(project, page), 'utf8'))).length).toBeGreaterThan(100);
  expect(deadLinks(project, pages)).toEqual([]);
});

it('every page that code or a setting names is there', () => {
  const files = tracked(
    'src/*.ts',
    'tools/*.ts',
    'tools/*.js',
    'scripts/*.mjs',
    'test/*.ts',
    '*.yml',
    '*.yaml',
    '.env.example',
    'Dockerfile',
  );
  const own = relative(project, __filename);
  const sources = files.filter((file) => file !== own);
  expect(sources.flatMap((file) => pagesNamedIn(readFileSync(join(project, file), 'utf8'))).length).toBeGreaterThan(10);
  expect(deadLinks(project, sources)).toEqual([]);
});

describe('a dead link', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'leadgate-links-'));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/a.md'), '# A page\n\n## `npm run`, twice & more\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n');
    writeFileSync(join(root, 'code.ts'), "see('docs/a.md#twice'); see('docs/b.md'); see('docs/a.md#thrice');\n");
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each([
    ['[x](docs/a.md)', []],
    ['[x](docs/a.md#npm-run-twice--more)', []],
    ['[x](docs/a.md#twice-1)', []],
    ['[x](https://example.org/nowhere#x) [y](mailto:a@example.org) `[z](nowhere.md)`', []],
    ['[x](docs/b.md)', ['docs/b.md: no such file']],
    ['![x](docs/b.png "title")', ['docs/b.png: no such file']],
    ['[x]: docs/b.md', ['docs/b.md: no such file']],
    ['<img src="docs/b.png">', ['docs/b.png: no such file']],
    ['[x](../outside.md)', ['../outside.md: no such file']],
    ['[x](docs/a.md#twice-2)', ['docs/a.md#twice-2: no such heading']],
    ['[x](docs/a.md#no-heading)', ['docs/a.md#no-heading: no such heading']],
    ['[x](#nowhere)', ['#nowhere: no such heading']],
    ['# Here\n\n[x](#here)', []],
  ])('in %j is %j', (text, dead) => {
    writeFileSync(join(root, 'page.md'), text);
    expect(deadLinks(root, ['page.md'])).toEqual(dead.map((why) => `page.md: ${why}`));
  });

  it('in code is found', () =>
    expect(deadLinks(root, ['code.ts'])).toEqual(['code.ts: docs/b.md: no such file', 'code.ts: docs/a.md#thrice: no such heading']));
});
