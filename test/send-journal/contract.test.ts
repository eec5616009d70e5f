/** The journal in a directory; the one in a Postgres holds the same in `npm run test:cluster`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDirectory } from '../../src/send-journal/directory';
import { contract, journalKeys, type NewPlace } from './contract';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

const newPlace: NewPlace = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'leadgate-sends-'));
  dirs.push(dir);
  return {
    open: async () => openDirectory(dir, journalKeys),
    raw: async () => Buffer.concat(readdirSync(dir).map((name) => readFileSync(join(dir, name)))),
  };
};

describe('a journal in a directory', () => {
  it.each(contract)('$name', ({ holds }) => holds(newPlace));
});
