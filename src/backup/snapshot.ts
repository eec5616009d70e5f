/**
 * Copies the engine's database at one moment. The engine is suspended during the copy, and SQLite recovers a database whose writer was
 * suspended as it does after a kill -9. The files' times prove that nothing else wrote to them.
 */
import { constants } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config';
import { engineOn } from '../engine/data-dir';
import { ignoreFileNotFound } from '../lib/disk';
import { freeBytesIn } from '../lib/disk-space';
import { whileSuspended } from './suspend';

const databaseFiles = ['engine.db', 'engine.db-wal'] as const;

/** A try fails if the engine restarts or another copy is made at the same time. */
const mostTries = 5;
/** The resolution of file times: two writes within this time may have the same time. */
const settleMs = 30;
/** Space that stays free for the engine. */
const spareBytes = 256 * 1024 ** 2;

export interface Snapshot {
  /** The copy holds nothing from after this moment. */
  readonly copiedAt: number;
  readonly suspendedMs: number;
}

/** `into` must be on the file system of the data directory, so that no slow disk keeps the engine suspended. */
export async function snapshot(dataDir: string, into: string): Promise<Snapshot> {
  await assertRoom(dataDir);
  for (let tries = 0; tries < mostTries; tries++) {
    const taken = await once(dataDir, into);
    if (taken) return taken;
  }
  throw new ConfigError(`The files of ${dataDir} kept changing during the copy; try again`);
}

/** Undefined if the files changed during the copy or just before it. If the engine's process is unknown, only the file times prove it. */
async function once(dataDir: string, into: string): Promise<Snapshot | undefined> {
  const engine = engineOn(dataDir);
  const startedAt = performance.now();
  const copy = async (): Promise<Snapshot | undefined> => {
    await pause(settleMs);
    const latest = Date.now() - settleMs / 2;
    const before = await states(dataDir);
    for (const name of databaseFiles) await copyIfThere(join(dataDir, name), join(into, name));
    const isSame = before.words === (await states(dataDir)).words && engine === engineOn(dataDir);
    if (!isSame || before.changedAt > latest) return undefined;
    return { copiedAt: Date.now(), suspendedMs: Math.round(performance.now() - startedAt) };
  };
  return engine === undefined ? copy() : whileSuspended(engine, copy);
}

async function states(dataDir: string): Promise<{ readonly words: string; readonly changedAt: number }> {
  const files = await Promise.all(databaseFiles.map((name) => stat(join(dataDir, name), { bigint: true }).catch(ignoreFileNotFound)));
  return {
    words: files.map((file) => (file ? `${file.ino} ${file.size} ${file.mtimeNs}` : 'none')).join(),
    changedAt: Math.max(...files.map((file) => Number(file?.mtimeMs ?? 0))),
  };
}

/** Clones the file if the file system supports it. */
async function copyIfThere(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(ignoreFileNotFound);
}

async function assertRoom(dataDir: string): Promise<void> {
  const sizes = databaseFiles.map(async (name) => (await stat(join(dataDir, name)).catch(ignoreFileNotFound))?.size ?? 0);
  const needed = (await Promise.all(sizes)).reduce((sum, size) => sum + size, spareBytes);
  if ((await freeBytesIn(dataDir)) < needed)
    throw new ConfigError(`A copy needs ${Math.ceil(needed / 1024 ** 2)} MiB free on the disk of ${dataDir}`);
}
