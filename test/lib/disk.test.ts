import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeWhole } from '../../src/lib/disk';

describe('a file that is made whole', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'leadgate-whole-'))));
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once, and stays as it was made', () => {
    const path = join(dir, 'id');
    expect([makeWhole(path, 'first'), makeWhole(path, 'second')]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(dir)).toEqual(['id']);
  });

  it('leaves alone what a process with the same number in another container is writing', () => {
    const path = join(dir, 'lock');
    const theirs = `${path}.${process.pid}`;
    writeFileSync(theirs, 'theirs');
    expect(makeWhole(path, 'ours')).toBe(true);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
  });
});
