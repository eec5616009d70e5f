/**
 * Measures the free space on the disk of the data directory, and how much the last day used. The free space is stored in a file there once an
 * hour, so that a restart loses nothing.
 */
import { readFile, rename, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface DiskSpace {
  readonly freeBytes: number;
  /** By how much the free space has shrunk since the first entry of the last 24 hours. */
  readonly usedBytes: number;
}

interface SpaceEntry {
  readonly at: number;
  readonly freeBytes: number;
}

/** Below this much free space the disk counts as short. */
export const leastFreeBytes = 1024 ** 3;

const hourMs = 3_600_000;
const fileIn = (dir: string) => join(dir, 'disk-space.json');

/** True if less than `leastBytes` would be left in a day, at the rate of the last day. */
export const isShort = ({ freeBytes, usedBytes }: DiskSpace, leastBytes: number): boolean => freeBytes - usedBytes < leastBytes;

const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

export const describeSpace = ({ freeBytes, usedBytes }: DiskSpace): string =>
  `${gib(freeBytes)} free${usedBytes > 0 ? `, ${gib(usedBytes)} less than a day ago` : ''}`;

/** A missing or invalid file has no entries. */
async function entriesIn(dir: string, now: number): Promise<readonly SpaceEntry[]> {
  const entries = await readFile(fileIn(dir), 'utf8')
    .then((text) => JSON.parse(text) as readonly SpaceEntry[])
    .catch(() => []);
  return entries.filter(({ at }) => at <= now && now - at <= 24 * hourMs);
}

export const freeBytesIn = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};

const spaceOf = (freeBytes: number, entries: readonly SpaceEntry[]): DiskSpace => ({
  freeBytes,
  usedBytes: Math.max(0, (entries[0]?.freeBytes ?? freeBytes) - freeBytes),
});

/** Measures without storing. */
export const readDiskSpace = async (dir: string, now = Date.now()): Promise<DiskSpace> =>
  spaceOf(await freeBytesIn(dir), await entriesIn(dir, now));

/** Measures, and stores an entry if the last one is an hour old. On a full disk nothing is stored, and the free space alone is enough. */
export async function noteDiskSpace(dir: string, now = Date.now(), free = freeBytesIn): Promise<DiskSpace> {
  const freeBytes = await free(dir);
  const entries = await entriesIn(dir, now);
  if (now - (entries.at(-1)?.at ?? 0) >= hourMs) {
    const unfinished = `${fileIn(dir)}.${process.pid}`;
    const text = JSON.stringify([...entries, { at: now, freeBytes }]);
    await writeFile(unfinished, text, { mode: 0o600 })
      .then(() => rename(unfinished, fileIn(dir)))
      .catch(() => undefined);
  }
  return spaceOf(freeBytes, entries);
}
