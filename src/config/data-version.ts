/**
 * Stores the version of the data directory's layout: the engine's database, the audit trail and the keys. A build refuses the directory of a
 * newer build before it changes anything.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileAtomically } from '../lib/disk';
import { codeOf } from '../lib/errors';
import { ConfigError, type Config } from './config';
import { version as build } from './version';

/** Raise it with a change that the previous build cannot read, and migrate older directories. */
const layout = 1;

const fileIn = (dir: string): string => join(dir, 'data-version');

/** Call it before anything reads or writes the directory. Writes the file if there is none. */
export function claimDataVersion({ LEADGATE_DATA_DIR: dir }: Pick<Config, 'LEADGATE_DATA_DIR'>): void {
  const written = read(dir) ?? write(dir);
  const known = /^[1-9]\d{0,8}$/.test(written) ? Number(written) : undefined;
  if (known === undefined)
    throw new ConfigError(
      `${fileIn(dir)} does not hold a version: restore the data directory from a backup, or set LEADGATE_DATA_DIR to another one`,
    );
  if (known > layout)
    throw new ConfigError(
      `The data directory ${dir} has version ${known}, and this build (${build}) knows versions up to ${layout}: a newer build has used it. Start that build or a newer one, or restore the backup from before the upgrade. Nothing was changed`,
    );
}

function read(dir: string): string | undefined {
  try {
    return readFileSync(fileIn(dir), 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Does not overwrite the version of a newer build that starts at the same moment. */
function write(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    createFileAtomically(fileIn(dir), `${layout}\n`);
  } catch {
    // The directory cannot be written. The parts that write there report that.
  }
  return read(dir) ?? String(layout);
}
