/**
 * Copies the engine's database at one moment. SQLite recovers the database and its log from any moment at which their writer stands
 * still, as after a kill -9. The engine stands still for the copy, and the files' times prove that nothing wrote to them meanwhile.
 */
import { constants } from 'node:fs';
import { copyFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config';
import { claimDataDir, engineOn } from '../engine/data-dir';
import { unlessGone } from '../lib/disk';
import { whileStill } from './standstill';

const databaseFiles = ['engine.db', 'engine.db-wal'] as const;

/** A restarted engine, or another copy at the same time, spoils a try. */
const mostTries = 5;
/** Left free for the engine, beside the copy. */
const spareBytes = 256 * 1024 ** 2;

export interface Snapshot {
  /** The moment after which nothing came into the copy. */
  readonly copiedAt: number;
  readonly stoodStillMs: number;
}

/** `into` must lie on the file system of the data directory, so that a slow or hanging disk elsewhere does not hold up the engine. */
export async function snapshot(dataDir: string, into: string): Promise<Snapshot> {
  await assertRoom(dataDir);
  for (let tries = 0; tries < mostTries; tries++) {
    const taken = await once(dataDir, into);
    if (taken) return taken;
  }
  throw new ConfigError(`The engine on ${dataDir} does not stand still for a copy; try again`);
}

/** Undefined if the files changed during the copy. */
async function once(dataDir: string, into: string): Promise<Snapshot | undefined> {
  const engine = engineOn(dataDir);
  const startedAt = performance.now();
  const copy = async (): Promise<Snapshot | undefined> => {
    const before = await states(dataDir);
    for (const name of databaseFiles) await copyIfThere(join(dataDir, name), join(into, name));
    const isSame = before === (await states(dataDir)) && engine === engineOn(dataDir);
    return isSame ? { copiedAt: Date.now(), stoodStillMs: Math.round(performance.now() - startedAt) } : undefined;
  };
  if (engine !== undefined) return whileStill(engine, copy);
  // No engine may start meanwhile.
  const claim = await claimDataDir(dataDir);
  try {
    return await copy();
  } finally {
    claim.release();
  }
}

async function states(dataDir: string): Promise<string> {
  const found = databaseFiles.map(async (name) => {
    const file = await stat(join(dataDir, name), { bigint: true }).catch(unlessGone);
    return file ? `${file.ino} ${file.size} ${file.mtimeNs}` : 'none';
  });
  return (await Promise.all(found)).join();
}

/** Clones the file where the file system can, which takes no time. */
async function copyIfThere(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(unlessGone);
}

async function assertRoom(dataDir: string): Promise<void> {
  const sizes = databaseFiles.map(async (name) => (await stat(join(dataDir, name)).catch(unlessGone))?.size ?? 0);
  const needed = (await Promise.all(sizes)).reduce((sum, size) => sum + size, spareBytes);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < needed) throw new ConfigError(`A copy needs ${Math.ceil(needed / 1024 ** 2)} MiB free on the disk of ${dataDir}`);
}
