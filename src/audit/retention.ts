/**
 * Removes files of the audit trail after the retention time, with the evidence that no other file names. Only whole files are removed, and an
 * entry records them, so that verification does not report them as missing.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inGroups } from '../lib/in-groups';
import { findPieces, removePieces } from './evidence';
import { filesAtOnce, headsOf, lastEntryOf, parseEntry, readTrailFiles, trailNames, type Head, type TrailFile } from './lines';
import { bySystem, type Trail } from './trail';

const dayMs = 86_400_000;

const entriesOf = ({ lines }: TrailFile) => lines.flatMap((line) => parseEntry(line) ?? []);

/** Returns the removals that are recorded in removed files, for those files that a remaining file still names. */
function stillNeeded(going: readonly TrailFile[], staying: readonly TrailFile[]): Head[] {
  const named = new Set(staying.flatMap((file) => entriesOf(file).flatMap(({ heads = [] }) => heads.map(({ file }) => file))));
  return going.flatMap((file) => entriesOf(file).flatMap(({ removed = [] }) => removed)).filter(({ file }) => named.has(file));
}

/** Returns how many files were removed. 0 days keeps all files. */
export async function removeOldFiles(dir: string, trail: Trail, days: number, now = Date.now()): Promise<number> {
  if (days === 0) return 0;
  const oldest = new Date(now - days * dayMs).toISOString();
  const names = await trailNames(dir);
  const ended = await inGroups(names, filesAtOnce, async (name) => ((await lastEntryOf(dir, name))?.at ?? oldest) < oldest);
  const gone = names.filter((_, at) => ended[at]);
  if (gone.length === 0) return 0;
  const files = await readTrailFiles(dir);
  const isGone = ({ name }: TrailFile) => gone.includes(name);
  const staying = files.filter((file) => !isGone(file));
  const removed = [...(await headsOf(dir, gone)), ...stillNeeded(files.filter(isGone), staying)];
  await trail.write({ who: bySystem, action: 'retention', outcome: 'done', removed });
  for (const name of gone) await rm(join(dir, name), { force: true });
  const needed = new Set(staying.flatMap(entriesOf).flatMap(({ evidence }) => evidence ?? []));
  const outdated = await findPieces(dir, ({ at }) => at < oldest);
  await removePieces(
    dir,
    outdated.filter((digest) => !needed.has(digest)),
  );
  return gone.length;
}
