/** Checks that the data directory is writable by writing a small file: nothing else detects a full or read-only disk. */
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/config';
import { closing } from '../../lib/disk';
import { codeOf } from '../../lib/errors';

const probe = Buffer.alloc(65_536, 1);
/** Limits how often the disk is probed, because health needs no key. A disk that hangs is probed only once. */
const askEveryMs = 1_000;
const deadlineMs = 2_000;

async function write(dir: string): Promise<string | undefined> {
  const path = join(dir, `.ready-${randomUUID()}`);
  try {
    const file = await open(path, 'wx', 0o600);
    await closing(file, () => file.writeFile(probe));
    return undefined;
  } catch (error) {
    return String(codeOf(error) ?? 'unknown error');
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Returns why nothing can be written; undefined if the disk is writable. */
export type WriteProbe = () => Promise<string | undefined>;

export function createWriteProbe(config: Config): WriteProbe {
  const { LEADGATE_DATA_DIR: dir } = config;

  async function ask(): Promise<string | undefined> {
    const code = await write(dir);
    return code && `The data directory is not writable (${code})`;
  }

  let asked: Promise<string | undefined> | undefined;
  return () => {
    asked ??= ask().finally(() => setTimeout(() => (asked = undefined), askEveryMs).unref());
    return Promise.race([asked, pause(deadlineMs, 'The disk did not respond in time', { ref: false })]);
  };
}
