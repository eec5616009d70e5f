/**
 * Copies the data directory while the service runs: first the engine's database at one moment, then the audit trail, whose files only grow,
 * and last the trail's evidence, so that no copied entry lacks it.
 *
 * The encryption keys are left out, so that a copy alone reveals no personal data. The copy has a temporary name until everything is on disk,
 * so that an unfinished copy cannot be taken for a complete one.
 */
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError, isEmbedded, type Config } from '../config/config';
import { isAlive } from '../engine/data-dir';
import type { KeyRing } from '../keys/ring';
import { syncDirectory, syncFile, ignoreFileNotFound } from '../lib/disk';
import { codeOf } from '../lib/errors';
import { build } from '../temporal/build';
import { describeFile, writeManifest, type Manifest } from './manifest';
import { snapshot, type Snapshot } from './snapshot';

export interface CopyResult extends Snapshot {
  readonly manifest: Manifest;
  readonly bytes: number;
}

const stagingPrefix = '.copy-';
const unfinishedSuffix = '.unfinished-';
const ofOwner = { recursive: true, mode: 0o700 } as const;

export async function backUp(config: Config, keys: KeyRing, target: string): Promise<CopyResult> {
  const { LEADGATE_DATA_DIR: dataDir } = config;
  if (!isEmbedded(config)) throw new ConfigError('The engine is a Temporal of your own: back up its database, see docs/scale.md');
  if (!existsSync(join(dataDir, 'engine.db'))) throw new ConfigError(`${dataDir} holds no database of the engine: see LEADGATE_DATA_DIR`);
  const to = resolve(target);
  await assertEmpty(to);
  const unfinished = join(dirname(to), `${basename(to)}${unfinishedSuffix}${process.pid}`);
  const staging = join(dataDir, `${stagingPrefix}${process.pid}`);
  try {
    await removeUnfinished(dataDir);
    await mkdir(unfinished, ofOwner);
    await mkdir(staging, ofOwner);
    const taken = await snapshot(dataDir, staging);
    await moveInto(staging, unfinished);
    for (const part of ['audit', join('audit', 'evidence')]) await copyFiles(join(dataDir, part), join(unfinished, part));
    await copyFile(join(dataDir, 'data-version'), join(unfinished, 'data-version')).catch(ignoreFileNotFound);
    const manifest = await finish(unfinished, taken, keys);
    await rename(unfinished, to);
    await syncDirectory(dirname(to));
    return { ...taken, manifest, bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Removes the unfinished copies of processes that were killed. */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(stagingPrefix) && !isAlive(String(parseInt(name.slice(stagingPrefix.length), 10))))
      await rm(join(dataDir, name), { recursive: true, force: true });
}

async function assertEmpty(dir: string): Promise<void> {
  const names = await readdir(dir).catch(ignoreFileNotFound);
  if (names && names.length > 0) throw new ConfigError(`${dir} is not empty: each copy needs a directory of its own`);
}

/** Renames on the same file system, else copies. The engine already runs again. */
async function moveInto(staging: string, dir: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const [from, to] = [join(staging, name), join(dir, name)];
    await rename(from, to).catch((error: unknown) => {
      if (codeOf(error) !== 'EXDEV') throw error;
      return copyFile(from, to);
    });
  }
}

/** Copies the regular files of a directory. Leaves out hidden files, which are temporary. */
async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, ofOwner);
  const entries = (await readdir(from, { withFileTypes: true }).catch(ignoreFileNotFound)) ?? [];
  const names = entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : []));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE).catch(ignoreFileNotFound)));
}

/** Flushes everything to disk, then writes the manifest. */
async function finish(dir: string, { copiedAt }: Snapshot, keys: KeyRing): Promise<Manifest> {
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
