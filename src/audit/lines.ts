/** Reads and seals the lines of the audit trail: one line per entry, with a keyed hash over its text and the hash of the line before. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { KeyRing } from '../keys/ring';
import { ignoreFileNotFound } from '../lib/disk';
import { inGroups } from '../lib/in-groups';
import { linesFromEnd } from '../lib/lines-from-end';

const head = z.object({ file: z.string(), seq: z.int(), hash: z.string() });

/** The last line of a file when it was read. */
export type Head = z.infer<typeof head>;

const entryShape = z.looseObject({
  seq: z.int().min(0),
  at: z.iso.datetime(),
  who: z.string(),
  action: z.string(),
  outcome: z.string().optional(),
  leadId: z.string().optional(),
  /** In the first line of a file: the file's name, and the last lines of the other files at that time. */
  file: z.string().optional(),
  heads: z.array(head).optional(),
  /** Files that were removed after their retention time. */
  removed: z.array(head).optional(),
  /** The digest of the action's evidence. */
  evidence: z.string().optional(),
  /** The digests of evidence that was removed. */
  evidenceErased: z.array(z.string()).optional(),
  prev: z.string(),
  hash: z.string(),
});

export type Entry = z.infer<typeof entryShape>;

export interface TrailFile {
  readonly name: string;
  readonly lines: readonly string[];
  /** True if the last line is incomplete: its process ended during the write, before the action was answered. */
  readonly torn: boolean;
}

const trailFile = /^\d{8}T\d{9}Z-[0-9a-z]+\.jsonl$/;

export const auditDir = (dataDir: string): string => join(dataDir, 'audit');

export async function makeDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
}

/** Returns the names of the trail's files, oldest first. */
export async function trailNames(dir: string): Promise<string[]> {
  const names = (await readdir(dir).catch(ignoreFileNotFound)) ?? [];
  return names.filter((name) => trailFile.test(name)).sort();
}

export async function readTrailFile(dir: string, name: string): Promise<TrailFile> {
  const lines = (await readFile(join(dir, name), 'utf8')).split('\n');
  const last = lines.pop() ?? '';
  return { name, lines, torn: last !== '' };
}

export const readTrailFiles = async (dir: string): Promise<TrailFile[]> =>
  Promise.all((await trailNames(dir)).map((name) => readTrailFile(dir, name)));

export function parseEntry(line: string): Entry | undefined {
  try {
    return entryShape.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Files that are read at once. */
export const filesAtOnce = 16;

/** Returns the last entry of a file. */
export async function lastEntryOf(dir: string, name: string): Promise<Entry | undefined> {
  for await (const line of linesFromEnd(join(dir, name))) {
    const entry = parseEntry(line);
    if (entry) return entry;
  }
  return undefined;
}

/** Returns the last lines of these files. Files without a line are left out. */
export async function headsOf(dir: string, names: readonly string[]): Promise<Head[]> {
  const heads = await inGroups(names, filesAtOnce, async (file): Promise<Head[]> => {
    const last = await lastEntryOf(dir, file);
    return last ? [{ file, seq: last.seq, hash: last.hash }] : [];
  });
  return heads.flat();
}

const sealStart = ',"hash":"';

/** Seals an entry with a keyed hash, so that nobody can write a valid line without the keys. */
export const sealed = (facts: object, keys: KeyRing) => sealedText(JSON.stringify(facts), keys);

function sealedText(text: string, keys: KeyRing): { readonly line: string; readonly hash: string } {
  const hash = keys.hash('audit', text, 52);
  return { line: `${text.slice(0, -1)}${sealStart}${hash}"}`, hash };
}

/** Checks the seal over the exact text of the line. */
export function isIntact(line: string, keys: KeyRing): boolean {
  const at = line.lastIndexOf(sealStart);
  return at > 0 && line === sealedText(`${line.slice(0, at)}}`, keys).line;
}
