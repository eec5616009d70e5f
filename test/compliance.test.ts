/** Every test that docs/compliance.md names is there: the file, and in it a test or a group of tests with this title. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '..');

interface Named {
  readonly file: string;
  readonly title: string;
}

/** A cell: `file` “title” “title”<br>`file` “title”. */
const namedIn = (cell: string): readonly Named[] =>
  [...cell.matchAll(/`(test\/[^`]+)`([^`]*)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  );

/** The cells of each row that begins with a requirement. */
const rowsIn = (page: string): readonly (readonly string[])[] =>
  page
    .split('\n')
    .filter((line) => /^\| (?!Requirement|-)/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const asPattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");

/** A title is the first argument of a call whose next argument is a function. */
const hasTest = (code: string, title: string): boolean =>
  new RegExp(`\\((['"\`])${asPattern(title)}\\1,\\s*(?:async\\s*)?(?:\\(|\\w+ =>)`).test(code);

function missing({ file, title }: Named): string[] {
  const path = join(project, file);
  if (!existsSync(path)) return [`${file}: no such file`];
  return hasTest(readFileSync(path, 'utf8'), title) ? [] : [`${file}: no test ${title}`];
}

const rows = rowsIn(readFileSync(join(project, 'docs/compliance.md'), 'utf8'));

it('every row of docs/compliance.md has four cells, and a test in the third', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 4 || namedIn(cells[2] ?? '').length === 0)).toEqual([]);
});

it('every test that docs/compliance.md names is there', () =>
  expect(rows.flatMap((cells) => namedIn(cells[2] ?? '')).flatMap(missing)).toEqual([]));

it.each([
  ['`test/compliance.test.ts` “every test that docs/compliance.md names is there”', []],
  ['`test/compliance.test.ts` “in %j is missing: %j”', []],
  ['`test/compliance.test.ts` “nothing of the kind”', ['test/compliance.test.ts: no test nothing of the kind']],
  ['`test/nowhere.test.ts` “a”<br>`test/links.test.ts` “in code is found”', ['test/nowhere.test.ts: no such file']],
])('in %j is missing: %j', (cell, expected) => expect(namedIn(cell).flatMap(missing)).toEqual(expected));
