/** The small tools that know nothing of leads. */
import { array, assert, asyncProperty, constantFrom, json, oneof, property, string } from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoundedMap } from '../../src/lib/bounded-map';
import { csvLine, csvRows, plainCsvLine, type CsvLimits } from '../../src/lib/csv';
import { createFileAtomically } from '../../src/lib/disk';
import { isShort, noteDiskSpace, readDiskSpace } from '../../src/lib/disk-space';
import { coalesced } from '../../src/lib/coalesced';
import { jsonFault } from '../../src/lib/json-fault';

describe('a bounded map', () => {
  it('keeps the latest entries; an entry that is set again is the latest', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
  });

  it('drops outdated entries when another one is set', () => {
    let oldest = 0;
    const map = new BoundedMap<string, number>(9, (age) => age < oldest);
    map.set('a', 1).set('b', 2);
    oldest = 2;
    expect([...map.keys()]).toEqual(['a', 'b']);
    map.set('c', 3);
    expect([...map.keys()]).toEqual(['b', 'c']);
    oldest = 3;
    map.prune();
    expect([...map.keys()]).toEqual(['c']);
  });
});

describe('the free space of the disk', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-space-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  const hourMs = 3_600_000;
  const start = Date.parse('2026-01-01T00:00:00Z');
  const after = (hours: number, freeBytes: number) => noteDiskSpace(dir, start + hours * hourMs, () => Promise.resolve(freeBytes));

  it('reports what the last day used, and forgets earlier days', async () => {
    expect(await after(0, 1_000)).toEqual({ freeBytes: 1_000, usedBytes: 0 });
    expect(await after(1, 900)).toEqual({ freeBytes: 900, usedBytes: 100 });
    expect(await after(24, 600)).toEqual({ freeBytes: 600, usedBytes: 400 });
    expect(await after(25, 600)).toEqual({ freeBytes: 600, usedBytes: 300 });
    expect(await after(100, 50)).toEqual({ freeBytes: 50, usedBytes: 0 });
  });

  it('reports no use if space was freed', async () => {
    await after(0, 500);
    expect(await after(1, 700)).toEqual({ freeBytes: 700, usedBytes: 0 });
  });

  it('is short a day before the space is gone', () => {
    expect(isShort({ freeBytes: 1_000, usedBytes: 100 }, 800)).toBe(false);
    expect(isShort({ freeBytes: 1_000, usedBytes: 300 }, 800)).toBe(true);
    expect(isShort({ freeBytes: 700, usedBytes: 0 }, 800)).toBe(true);
  });

  it('starts again after an invalid file, and after a clock that was ahead', async () => {
    writeFileSync(join(dir, 'disk-space.json'), '[{');
    await after(48, 1_000);
    expect(await after(1, 400)).toEqual({ freeBytes: 400, usedBytes: 0 });
    expect(await after(2, 300)).toEqual({ freeBytes: 300, usedBytes: 100 });
  });

  it('reads the free space', async () => {
    expect((await readDiskSpace(dir)).freeBytes).toBeGreaterThan(0);
  });
});

describe('a file that is created atomically', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-whole-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is created once, and never overwritten', () => {
    const path = join(dir, 'id');
    expect([createFileAtomically(path, 'first'), createFileAtomically(path, 'second')]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(dir)).toEqual(['id']);
  });

  it('does not touch the unfinished file of a process with the same id in another container', () => {
    const path = join(dir, 'lock');
    const theirs = `${path}.${process.pid}`;
    writeFileSync(theirs, 'theirs');
    expect(createFileAtomically(path, 'ours')).toBe(true);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
  });
});

describe('a coalesced function', () => {
  it('runs one call at a time, and shares the next among its callers', async () => {
    let letGo = () => {};
    const held = new Promise<void>((done) => (letGo = done));
    const said: string[] = [];
    const turn = coalesced(async () => {
      said.push('begins');
      await held;
      said.push('ends');
    });
    const first = turn();
    await Promise.resolve();
    const [second, third] = [turn(), turn()];
    expect([second === third, second === first, said]).toEqual([true, false, ['begins']]);
    letGo();
    await second;
    expect(said).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  it('continues after a failure', async () => {
    const results = [Promise.reject(new Error('away')), Promise.resolve()];
    const turn = coalesced(() => results.shift() ?? Promise.resolve());
    const first = turn();
    await Promise.resolve();
    const second = turn();
    await expect(first).rejects.toThrow('away');
    await expect(second).resolves.toBeUndefined();
  });
});

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the first syntax error of a JSON text', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{"a": 1,}', 1, 9, 'a name in double quotes'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ["{'a': 1}", 1, 2, 'a name in double quotes or }'],
    ['{"a": 1 "b": 2}', 1, 9, 'a comma or }'],
    ['{"a": undefined}', 1, 7, 'a value'],
    ['{"a": [1, 2}', 1, 12, 'a comma or ]'],
    ['{"a": [,', 1, 8, 'a value or ]'],
    ['{\n  "a": "one\ntwo"\n}', 2, 8, 'a value'],
    ['{\r\n"a": 01}', 2, 6, 'a value'],
    ['{"a": 1', 1, 8, 'a comma or }'],
    ['{} {}', 1, 4, 'the end'],
  ])('of %j is line %d, column %d, where there should be %s', (text, line, column, expected) =>
    expect(jsonFault(text)).toEqual({ line, column, expected }),
  );

  it('is found in every text that JSON.parse refuses, and in no other', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"\\n"', '"\\x"', '1', '-0.5e3', '01', 'true', 'nul', ' ', '\n', '"'];
    const written = array(constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    assert(
      property(oneof(written, json(), string()), (text) => expect(jsonFault(text) === undefined).toBe(isJson(text))),
      { numRuns: 2_000 },
    );
  });
});

describe('CSV', () => {
  async function rowsOf(text: string, limits?: CsvLimits) {
    const rows: [number, ...string[]][] = [];
    for await (const { line, cells } of csvRows(text, limits)) rows.push([line, ...cells]);
    return rows;
  }

  it.each<[string, ...[number, ...string[]][]]>([
    ['a,b\n1,2', [1, 'a', 'b'], [2, '1', '2']],
    ['a,b\r1,\r', [1, 'a', 'b'], [2, '1', '']],
    ['\n,\n  \na\n', [4, 'a']],
    ['a;"b;""c"""\n', [1, 'a', 'b;"c"']],
    ['"a\nb",c\r\nd,e\n', [1, 'a\nb', 'c'], [3, 'd', 'e']],
    ['sep=|\r\na|b,c,d\r\n', [2, 'a', 'b,c,d']],
    ['a, b\n""\n', [1, 'a', ' b']],
    [''],
  ])('%j', async (text, ...rows) => expect(await rowsOf(text)).toEqual(rows));

  it.each<[string, number, RegExp, CsvLimits]>([
    ['a\n"b\n\n', 2, /never closed/, {}],
    ['"', 1, /never closed/, {}],
    ['a\nb,"c\n"d\n', 3, /between a closing quote and the end/, {}],
    ['a\nb "c"\n', 2, /a quote is inside/, {}],
    ['a,b\n1', 2, /ends in the middle/, {}],
    ['a\n\n\nb', 4, /at most 3 lines/, { linesMost: 3 }],
    ['a,b\n1,"\n"\n', 2, /too long/, { rowMost: 4 }],
    [`a\n${','.repeat(16_384)}\n`, 2, /at most 16384 cells/, {}],
  ])('%j is refused in line %d', async (text, line, message, limits) => {
    await expect(rowsOf(text, limits)).rejects.toMatchObject({ name: 'BadCsv', line, message: expect.stringMatching(message) });
  });

  it('is read as it was written', async () => {
    const cell = string({ unit: constantFrom(...Array.from('ab ,;|"\n\t\'')) });
    await assert(
      asyncProperty(array(array(cell, { minLength: 1 })), async (written) => {
        const rows = [['first', 'row'], ...written.map((cells) => [...cells, 'x'])];
        expect((await rowsOf(rows.map(csvLine).join(''))).map(([, ...cells]) => cells)).toEqual(rows);
      }),
    );
  });

  it.each(['=1', '+1', '-1', '@a', '＝1', '＋1', '－1', '＠a', '\t=1', '\r=1'])('shows the formula %j as text', (formula) =>
    expect(plainCsvLine([formula, 'a'])).toBe(csvLine([`'${formula}`, 'a'])),
  );
});
