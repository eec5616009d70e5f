/**
 * Reads the moment of the copy from which the stored runs were restored. A send of such a run may have gone out after that moment without
 * any trace in the store (docs/decisions/0002).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Config } from './config';

export const restoreMarks = {
  /** Exists until a restore has ended. */
  begun: 'restoring.json',
  ended: 'restored.json',
} as const;

const mark = z.object({ copiedAt: z.iso.datetime(), restoredAt: z.iso.datetime() });
export type RestoreMark = z.infer<typeof mark>;

type Stored = Pick<Config, 'LEADGATE_DATA_DIR' | 'RESTORED_FROM'>;

/** Throws if a restore into the directory has not ended. */
export function assertRestoreEnded(dir: string): void {
  if (existsSync(join(dir, restoreMarks.begun)))
    throw new ConfigError(`A restore into ${dir} did not end. Empty the directory except its keys, and restore again`);
}

/** Returns the moment in ms; undefined if nothing was restored. */
export function restoredFrom({ LEADGATE_DATA_DIR: dir, RESTORED_FROM }: Stored): number | undefined {
  const moments = [RESTORED_FROM, markIn(dir)?.copiedAt].flatMap((moment) => (moment ? [Date.parse(moment)] : []));
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

function markIn(dir: string): RestoreMark | undefined {
  const file = join(dir, restoreMarks.ended);
  if (!existsSync(file)) return undefined;
  try {
    return mark.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ConfigError(
      `${file} cannot be read. It names the moment of the restored copy, which shows the leads that may have been sent since`,
    );
  }
}
