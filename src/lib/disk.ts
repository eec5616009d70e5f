/** What whoever keeps files of his own needs beside node:fs. */
import { open, type FileHandle } from 'node:fs/promises';

export async function closing<T>(file: FileHandle, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await file.close();
  }
}

/** A new file is there after a loss of power only when its directory says so. */
export async function syncDirectory(dir: string): Promise<void> {
  const directory = await open(dir, 'r');
  await closing(directory, () => directory.sync());
}
