/** Helpers for files: close after use, tell a missing file from a failure, and make a new file survive a power loss. */
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

/** For `catch`: undefined if the file or directory does not exist. */
export function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
