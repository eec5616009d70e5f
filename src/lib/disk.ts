/** File helpers: close after use, handle missing files, create a file atomically, and flush to disk. */
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

/** Flushes a directory to disk; only then a new file in it survives a power loss. */
export async function syncDirectory(dir: string): Promise<void> {
  const directory = await open(dir, 'r');
  await closing(directory, () => directory.sync());
}

/** Flushes a file to disk, and makes it readable for its owner only. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await closing(file, async () => {
    await file.chmod(0o600);
    await file.datasync();
  });
}

/** Creates a file atomically, so that no other process reads an unfinished one. False if the file exists, which is then unchanged. */
export function createFileAtomically(path: string, text: string): boolean {
  // A process id is not unique across containers.
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

/** For `catch`: returns undefined if the file or directory does not exist, and throws any other error. */
export function ignoreFileNotFound(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
