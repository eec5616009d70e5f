/**
 * Creates the database of a new data directory. Temporal's own schema has an index for each of about sixty columns, and each lead writes to all
 * of them twice. This one keeps only the indexes that a search uses (docs/decisions/0010). It is made once per version of the engine, and copied.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import initSqlite, { type Database } from 'sql.js';
import { messageOf } from '../lib/errors';
import { closing, syncDirectory } from '../lib/disk';
import { log } from '../lib/log';
import { engineLog } from './engine-log';
import { intoCache } from './fetch';
import { run, searchContext, type SearchContext } from './search-context';
import { startProgram } from './child-program';
import { freePort } from '../config/ports';
import { waitUntilServing } from './ready';

const host = '127.0.0.1';
const startTimeoutMs = 20_000;

/** The table behind lists and searches, and the indexes that it keeps. Its ten keyword columns hold our search attributes. */
const table = 'executions_visibility';
const kept = ['default_idx', 'by_execution_time', 'by_workflow_id', 'by_workflow_type', 'by_status', 'by_keyword_'];

const columnOf = (database: Database, sql: string): string[] => (database.exec(sql)[0]?.values ?? []).map(([value]) => String(value));

/** Drops all other indexes. Keeps unique indexes, which are constraints. */
function dropIndexes(database: Database): void {
  const names = columnOf(
    database,
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '${table}' AND sql LIKE 'CREATE INDEX %'`,
  );
  for (const name of names) if (!kept.some((beginning) => name.startsWith(beginning))) database.run(`DROP INDEX "${name}"`);
}

/** Changes the trigger, so that it rewrites a run's word index only after a change of a text or list. */
function rewriteWordsIfChanged(database: Database): void {
  const trigger = `${table}_au`;
  const [sql = ''] = columnOf(database, `SELECT sql FROM sqlite_schema WHERE name = '${trigger}'`);
  const columns = [...new Set(sql.match(/(?<=OLD\.)(?!rowid)\w+/g))];
  if (columns.length === 0) return;
  const row = (of: 'OLD' | 'NEW') => `(${columns.map((column) => `${of}.${column}`).join(', ')})`;
  database.run(`DROP TRIGGER ${trigger}`);
  database.run(sql.replace(/\bBEGIN\b/, `WHEN ${row('OLD')} IS NOT ${row('NEW')} BEGIN`));
}

/** Makes a database in this directory by starting the engine. */
async function makeWithEngine(executable: string, dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [file, port] = [join(dir, 'engine.db'), await freePort()];
  const args = ['server', 'start-dev', '--headless', '--ip', host, '--port', `${port}`, '--db-filename', file, '--log-level', 'error'];
  const engine = startProgram(executable, args, { output: engineLog(join(dir, 'engine.log')), env });
  const isUp = await waitUntilServing(host, port, engine.hasEnded, startTimeoutMs);
  await engine.stop();
  if (!isUp) throw new Error('the engine did not make a database');
  if (existsSync(`${file}-journal`)) throw new Error('the engine did not finish its database');
  return file;
}

async function makeDatabase(executable: string, dir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const file = await makeWithEngine(executable, dir, env);
  const { Database } = await initSqlite();
  const database = new Database(readFileSync(file));
  try {
    dropIndexes(database);
    rewriteWordsIfChanged(database);
    database.run('VACUUM');
    writeFileSync(file, database.export());
  } finally {
    database.close();
  }
  return file;
}

/** Puts the database in place, unless there is one. If that fails, the engine makes its own, and each lead costs more writes. */
export async function prepareDatabase(
  file: string,
  executable: string,
  env: NodeJS.ProcessEnv,
  { cacheDir }: Pick<SearchContext, 'cacheDir'> = searchContext(),
): Promise<void> {
  if (existsSync(file)) return;
  try {
    const version = await run(executable, ['--version']);
    // The name includes a hash of this file, so that a change of it makes a new database.
    const name = createHash('sha256').update(version).update(readFileSync(__filename)).digest('hex').slice(0, 12);
    const model = join(cacheDir, `new-${name}.db`);
    if (!existsSync(model)) await intoCache(model, (dir) => makeDatabase(executable, dir, env), 0o600);
    const unfinished = `${file}.new`;
    copyFileSync(model, unfinished);
    const copy = await open(unfinished, 'r+');
    await closing(copy, () => copy.sync());
    renameSync(unfinished, file);
    await syncDirectory(dirname(file));
  } catch (error) {
    log.warn('could not prepare the database: the engine makes its own, and each lead costs more writes', { reason: messageOf(error) });
  }
}
