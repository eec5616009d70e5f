import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDataVersion } from '../../src/config/data-version';

let LEADGATE_DATA_DIR: string;
const file = () => join(LEADGATE_DATA_DIR, 'data-version');
const claim = () => claimDataVersion({ LEADGATE_DATA_DIR });
const holding = (text: string) => {
  mkdirSync(LEADGATE_DATA_DIR);
  writeFileSync(file(), text);
};

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'leadgate-version-'));
  LEADGATE_DATA_DIR = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true }));

describe('the version of a data directory', () => {
  it('is noted in one that has none, with nothing left beside it', () => {
    claim();
    expect([readFileSync(file(), 'utf8'), readdirSync(LEADGATE_DATA_DIR)]).toEqual(['1\n', ['data-version']]);
    expect(claim).not.toThrow();
  });

  it('of a newer build is refused with what to do, and stays as it is', () => {
    holding('2\n');
    expect(claim).toThrow(
      /has version 2, and this build \(\d\S+\) knows versions up to 1: a newer build has used it\. Start that build or a newer one, or restore/,
    );
    expect(readFileSync(file(), 'utf8')).toBe('2\n');
  });

  it.each(['', 'one', '0', '1.5', '-1'])('that cannot be read is refused: %j', (text) => {
    holding(text);
    expect(claim).toThrow('does not hold a version: restore');
  });

  it('of a directory that cannot be made is no reason not to start', () => {
    LEADGATE_DATA_DIR = join(parent, 'file', 'data');
    writeFileSync(join(parent, 'file'), '');
    expect(claim).not.toThrow();
    expect(existsSync(file())).toBe(false);
  });
});
