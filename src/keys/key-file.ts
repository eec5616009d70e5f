/** Writes a changed key ring to its file atomically, with the same permissions. */
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../config/config';
import { messageOf } from '../lib/errors';

export function saveKeys(file: string, written: string): void {
  const next = `${file}.${process.pid}`;
  try {
    writeFileSync(next, `${written}\n`, { mode: statSync(file).mode & 0o777, flag: 'wx', flush: true });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw new ConfigError(`The keys cannot be written to ${file}: ${messageOf(error)}`);
  }
}
