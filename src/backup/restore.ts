/**
 * Restores a copy into an empty data directory. Verifies the copy first, and stores its moment: the runs in it may have sent something after
 * that moment.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/config';
import { restoreMarks, type RestoreMark } from '../config/restored';
import { claimDataDir } from '../engine/data-dir';
import type { KeyRing } from '../keys/ring';
import { syncDirectory, syncFile } from '../lib/disk';
import { assertSealed, verifiedManifest, type Manifest } from './manifest';

/** A data directory with only these files counts as empty. */
const ignoredFiles: readonly string[] = ['keys', 'engine.lock', 'data-version', 'lost+found'];

export interface RestoreResult extends RestoreMark {
  readonly files: number;
}

/** `ringFor` reads the key ring for the restored directory; undefined if there are no keys. */
export async function restore(from: string, dataDir: string, ringFor: () => KeyRing | undefined): Promise<RestoreResult> {
  const manifest = await verifiedManifest(from);
  const ring = ringFor();
  assertKeys(manifest, ring, dataDir);
  if (ring) assertSealed(manifest, ring);
  const claim = await claimDataDir(dataDir);
  try {
    const names = (await readdir(dataDir)).filter((name) => !ignoredFiles.includes(name));
    if (names.length > 0)
      throw new ConfigError(`${dataDir} is not empty: it holds ${names.slice(0, 3).join(', ')}. Restore into a new directory`);
    return await copyBack(manifest, from, dataDir);
  } finally {
    claim.release();
  }
}

/** Without these keys the service could not read the copy. */
function assertKeys({ keys }: Manifest, ring: KeyRing | undefined, dataDir: string): void {
  const known = [...(ring?.fingerprints.values() ?? [])];
  const missing = keys.filter((key) => !known.includes(key)).map((key) => key.split(':').slice(0, 2).join(', fingerprint '));
  if (missing.length > 0)
    throw new ConfigError(
      `The copy needs encryption keys that are not here (${missing.join('; ')}): put them into ${join(dataDir, 'keys')}, or see LEADGATE_KEYS_FILE`,
    );
}

async function copyBack({ copiedAt, files }: Manifest, from: string, dataDir: string): Promise<RestoreResult> {
  const mark: RestoreMark = { copiedAt, restoredAt: new Date().toISOString() };
  const [begun, ended] = [join(dataDir, restoreMarks.begun), join(dataDir, restoreMarks.ended)];
  await writeFile(begun, `${JSON.stringify(mark)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await syncDirectory(dataDir);
  for (const { path } of files) {
    const to = join(dataDir, path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rm(to, { force: true });
    await copyFile(join(from, path), to, constants.COPYFILE_FICLONE);
    await syncFile(to);
    await syncDirectory(dirname(to));
  }
  await rename(begun, ended);
  await syncDirectory(dataDir);
  return { ...mark, files: files.length };
}
