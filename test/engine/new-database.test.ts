import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import initSqlite from 'sql.js';
import { giveDatabase } from '../../src/engine/new-database';
import { attributes } from '../../src/temporal/engine';
import { testEngine } from '../support/engine';
import { logged } from '../support/logged';

const { executable } = testEngine();
const env = { PATH: process.env.PATH };
let dir: string;
let file: string;
let cache: { readonly cacheDir: string };

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'leadgate-database-'));
  cache = { cacheDir: join(dir, 'cache') };
});
beforeEach(() => (file = join(dir, 'engine.db')));
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(dir, { recursive: true }));

const give = (program = executable) => giveDatabase(file, program, env, cache);

async function read(sql: string): Promise<string[]> {
  const { Database } = await initSqlite();
  const database = new Database(readFileSync(file));
  try {
    return (database.exec(sql)[0]?.values ?? []).flat().map(String);
  } finally {
    database.close();
  }
}

const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'executions_visibility'";

it('gives a new data directory a database with an index for each thing that is searched by, and for nothing else', async () => {
  await give();
  const keywords = Object.values(attributes).filter(({ type }) => type === 'KEYWORD');
  const others = [
    'by_execution_time',
    'by_status',
    'by_workflow_id',
    'by_workflow_type',
    'default_idx',
    'sqlite_autoindex_executions_visibility_1',
  ];
  expect((await read(`${indexes} AND name NOT LIKE 'by_keyword_%' ORDER BY name`)).toSorted()).toEqual(others.toSorted());
  expect((await read(`${indexes} AND name LIKE 'by_keyword_%'`)).length).toBeGreaterThanOrEqual(keywords.length);
  expect(await read('PRAGMA integrity_check')).toEqual(['ok']);
});

it('rewrites the index of words only if a word has changed', async () => {
  await give();
  const [trigger] = await read("SELECT sql FROM sqlite_schema WHERE name = 'executions_visibility_au'");
  const [before = '', after = ''] = trigger?.split('BEGIN') ?? [];
  const watched = [...after.matchAll(/OLD\.(\w+)/g)].flatMap(([, column]) => (column === 'rowid' ? [] : [column]));
  expect(watched).toContain('KeywordList01');
  for (const column of watched) expect(before).toContain(`NEW.${column}`);
});

it('makes it once for each version of the engine, and leaves nothing else in the cache', async () => {
  await give();
  const [made] = readdirSync(cache.cacheDir);
  const before = readFileSync(file);
  rmSync(file);
  await give();
  expect(readdirSync(cache.cacheDir)).toEqual([made]);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(dir).toSorted()).toEqual(['cache', 'engine.db']);
});

it('leaves a database that is there as it is', async () => {
  writeFileSync(file, 'a database');
  await give();
  expect(readFileSync(file, 'utf8')).toBe('a database');
});

it('leaves it to an engine that makes none for us, and says so', async () => {
  logged.length = 0;
  // Node has a version, but is no engine.
  await give(process.execPath);
  expect(existsSync(file)).toBe(false);
  expect(logged.join()).toContain('each lead costs more');
});
