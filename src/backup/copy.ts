/**
 * Makes a copy of the data directory while the service runs. The order makes it safe:
 *
 * 1. The engine's database, at one moment.
 * 2. The audit trail, whose files only grow.
 *
 * The encryption keys are left out, because anybody could read the persons in a copy that has its keys beside it. The copy is made under
 * another name and gets its own when everything is on the disk, so an unfinished copy never looks like a whole one.
 */
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError, isEmbedded, type Config } from '../config/config';
import { isAlive } from '../engine/data-dir';
import type { KeyRing } from '../keys/ring';
import { syncDirectory, syncFile, unlessGone } from '../lib/disk';
import { codeOf } from '../lib/errors';
import { build } from '../temporal/build';
import { describeFile, writeManifest, type Manifest } from './manifest';
import { snapshot, type Snapshot } from './snapshot';

export interface Copied extends Snapshot {
  readonly manifest: Manifest;
  readonly bytes: number;
}

const stagingPrefix = '.copy-';
const unfinishedSuffix = '.unfinished-';
const ofOwner = { recursive: true, mode: 0o700 } as const;

export async function backUp(config: Config, keys: KeyRing, target: string): Promise<Copied> {
  const { LEADGATE_DATA_DIR: dataDir } = config;
  if (!isEmbedded(config)) throw new ConfigError('The engine is a Temporal of your own: back up its database, see docs/scale.md');
  if (!existsSync(join(dataDir, 'engine.db'))) throw new ConfigError(`${dataDir} holds no engine's file: see LEADGATE_DATA_DIR`);
  const to = resolve(target);
  await assertEmpty(to);
  const unfinished = join(dirname(to), `${basename(to)}${unfinishedSuffix}${process.pid}`);
  const staging = join(dataDir, `${stagingPrefix}${process.pid}`);
  try {
    await removeLeftOvers(dataDir);
    await mkdir(unfinished, ofOwner);
    await mkdir(staging, ofOwner);
    const taken = await snapshot(dataDir, staging);
    await moveInto(staging, unfinished);
    await copyFiles(join(dataDir, 'audit'), join(unfinished, 'audit'));
    await copyFile(join(dataDir, 'data-version'), join(unfinished, 'data-version')).catch(unlessGone);
    const manifest = await finished(unfinished, taken, keys);
    await rename(unfinished, to);
    await syncDirectory(dirname(to));
    return { ...taken, manifest, bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** A process that was killed left what it had begun. */
async function removeLeftOvers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(stagingPrefix) && !isAlive(String(parseInt(name.slice(stagingPrefix.length), 10))))
      await rm(join(dataDir, name), { recursive: true, force: true });
}

async function assertEmpty(dir: string): Promise<void> {
  const names = await readdir(dir).catch(unlessGone);
  if (names && names.length > 0) throw new ConfigError(`${dir} is not empty: each copy needs a directory of its own`);
}

/** Renames on the same file system; elsewhere copies, while the engine runs again. */
async function moveInto(staging: string, dir: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const [from, to] = [join(staging, name), join(dir, name)];
    await rename(from, to).catch((error: unknown) => {
      if (codeOf(error) !== 'EXDEV') throw error;
      return copyFile(from, to);
    });
  }
}

/** Copies the plain files of a directory. Leaves out hidden ones, which a process writes for a moment only. */
async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, ofOwner);
  const entries = (await readdir(from, { withFileTypes: true }).catch(unlessGone)) ?? [];
  const names = entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : []));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE).catch(unlessGone)));
}

/** Brings everything to the disk, and then says what is there. */
async function finished(dir: string, { copiedAt }: Snapshot, keys: KeyRing): Promise<Manifest> {
  const paths: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await syncDirectory(path);
    else {
      await syncFile(path);
      paths.push(path);
    }
  }
  const files = await Promise.all(paths.map((path) => describeFile(dir, path.slice(dir.length + 1))));
  const unsealed = {
    format: 1 as const,
    copiedAt: new Date(copiedAt).toISOString(),
    build,
    keys: [...keys.fingerprints.values()],
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  };
  const manifest = await writeManifest(dir, unsealed, keys);
  await syncDirectory(dir);
  return manifest;
}
