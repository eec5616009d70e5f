/**
 * Makes scheduled copies in BACKUP_DIR, and removes the oldest. The due time is computed from the manifests there, so a restart neither skips
 * nor repeats a copy.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isEmbedded, type Config } from '../config/config';
import { isAlive } from '../engine/data-dir';
import type { KeyRing } from '../keys/ring';
import { ignoreFileNotFound } from '../lib/disk';
import { messageOf } from '../lib/errors';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import { backUp } from './copy';
import { copiesIn, newestCopy } from './manifest';

const keptCopies = 7;
const checkEveryMs = 60_000;
/** The pause before the retry of a failed copy. */
const retryAfterMs = 600_000;
const hourMs = 3_600_000;
/** The names of scheduled copies. Only these are removed, never a copy that a person made. */
const scheduledName = /^leadgate-\d{8}T\d{6}Z(?:\.unfinished-(\d+))?$/;

export const nameAt = (ms: number): string => `leadgate-${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

interface Schedule {
  readonly dir: string;
  readonly everyMs: number;
}

/** Undefined if no copies are scheduled. */
const scheduleOf = (config: Config): Schedule | undefined =>
  config.BACKUP_DIR && isEmbedded(config) ? { dir: config.BACKUP_DIR, everyMs: config.BACKUP_EVERY_H * hourMs } : undefined;

/** Runs in the process of the engine. The returned function stops the schedule, and waits for a copy in progress. */
export function scheduleCopies(config: Config, keys: KeyRing): () => Promise<void> {
  const schedule = scheduleOf(config);
  if (!schedule) return async () => undefined;
  let retryAt = 0;
  return repeating(checkEveryMs, async () => {
    try {
      const made = Date.now() < retryAt ? undefined : await copyIfDue(config, keys, schedule);
      if (made) log.info('backup made', { to: made });
    } catch (error) {
      retryAt = Date.now() + retryAfterMs;
      log.error('backup failed; it is retried', { dir: schedule.dir, reason: messageOf(error) });
    }
  });
}

/** Makes a copy if one is due, and returns its path. */
export async function copyIfDue(config: Config, keys: KeyRing, { dir, everyMs }: Schedule, now = Date.now()): Promise<string | undefined> {
  const newest = await newestCopy(dir);
  if (newest && now - newest.copiedAt < everyMs) return undefined;
  const to = join(dir, nameAt(now));
  await backUp(config, keys, to);
  await removeOldest(dir);
  return to;
}

async function removeOldest(dir: string): Promise<void> {
  const own = (await copiesIn(dir)).filter(({ name }) => scheduledName.test(name)).map(({ name }) => name);
  const unfinished = (await readdir(dir)).filter((name) => {
    const [, pid] = scheduledName.exec(name) ?? [];
    return pid !== undefined && !isAlive(pid);
  });
  for (const name of [...own.slice(0, -keptCopies), ...unfinished]) await rm(join(dir, name), { recursive: true, force: true });
}

/** Returns a function for the metrics that reads the age of the newest copy in seconds. Undefined if no copies are scheduled. */
export function copyAge(config: Config): (() => Promise<number | undefined>) | undefined {
  if (!scheduleOf(config)) return undefined;
  return async () => {
    const { ageMs } = (await ageOfCopies(config)) ?? {};
    return ageMs === undefined ? undefined : ageMs / 1000;
  };
}

export interface CopyAge {
  /** Undefined if there is no copy. */
  readonly ageMs?: number;
  /** True if two intervals have passed without a copy. */
  readonly isLate: boolean;
}

/** Undefined if no copies are scheduled. */
export async function ageOfCopies(config: Config, now = Date.now()): Promise<CopyAge | undefined> {
  const schedule = scheduleOf(config);
  if (!schedule) return undefined;
  const newest = await newestCopy(schedule.dir);
  if (newest) return { ageMs: now - newest.copiedAt, isLate: now - newest.copiedAt > 2 * schedule.everyMs };
  const database = await stat(join(config.LEADGATE_DATA_DIR, 'engine.db')).catch(ignoreFileNotFound);
  return { isLate: database !== undefined && now - database.birthtimeMs > 2 * schedule.everyMs };
}
