/**
 * Removes files of the audit trail that are older than the retention time. It removes whole files and writes an entry about them, so that
 * the check does not report them as missing.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { headOf, parseEntry, readTrailFiles, type Head, type TrailFile } from './lines';
import { byItself, type Trail } from './trail';

const dayMs = 86_400_000;

const entriesOf = ({ lines }: TrailFile) => lines.flatMap((line) => parseEntry(line) ?? []);
const endedBefore = (file: TrailFile, moment: string) => (entriesOf(file).at(-1)?.at ?? moment) < moment;

/** Removals noted in files that are now removed themselves, if a file that stays still mentions the files gone. */
function stillNamed(going: readonly TrailFile[], staying: readonly TrailFile[]): Head[] {
  const named = new Set(staying.flatMap((file) => entriesOf(file).flatMap(({ heads = [] }) => heads.map(({ file }) => file))));
  return going.flatMap((file) => entriesOf(file).flatMap(({ removed = [] }) => removed)).filter(({ file }) => named.has(file));
}

/** Returns how many files were removed. 0 days keeps all. */
export async function removeOldFiles(dir: string, trail: Trail, days: number, now = Date.now()): Promise<number> {
  if (days === 0) return 0;
  const oldest = new Date(now - days * dayMs).toISOString();
  const files = await readTrailFiles(dir);
  const going = files.filter((file) => endedBefore(file, oldest));
  if (going.length === 0) return 0;
  const staying = files.filter((file) => !going.includes(file));
  const removed = [...going.flatMap((file) => headOf(file) ?? []), ...stillNamed(going, staying)];
  await trail.write({ who: byItself, action: 'retention', outcome: 'done', removed });
  for (const { name } of going) await rm(join(dir, name), { force: true });
  return going.length;
}
