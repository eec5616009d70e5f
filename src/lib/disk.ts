/** Helpers for files: close after use, tell a missing file from a failure, make a file at once, and have it survive a power loss. */
import { randomUUID } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { codeOf } from './errors';

export async function closing<T>(file: FileHandle, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await file.close();
  }
}

/** Writes a directory to disk: only then a new file in it survives a power loss. */
export async function syncDirectory(dir: string): Promise<void> {
  const directory = await open(dir, 'r');
  await closing(directory, () => directory.sync());
}

/** Flushes a file to the disk, and lets only its owner read it. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await closing(file, async () => {
    await file.chmod(0o600);
    await file.datasync();
  });
}

/** Links the complete file into place, so that no other process reads an unfinished one. False if there is one already, which stays. */
export function makeWhole(path: string, text: string): boolean {
  // Processes in two containers can have the same number.
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, text, { mode: 0o600, flush: true });
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** For `catch`: undefined if the file or directory does not exist. */
export function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
