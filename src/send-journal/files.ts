/** The journal as it lies on the disk: files of one line an entry. Ids stand in clear, what was answered is encrypted. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Send } from '../domain/sends';
import { closing } from '../lib/disk';
import { codeOf } from '../lib/errors';

export interface Entry extends Send {
  /** What became of it; absent while it is on its way. */
  readonly sealed?: string;
}

export const lineOf = ({ runId, workflowId, place, length, sealed = '' }: Entry): string =>
  `${runId} ${workflowId} ${place} ${length} ${sealed}\n`;

/** Nothing is read of a line that a crash cut short, nor of one that was blotted out. */
export function entriesIn(text: string): Entry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const [runId, workflowId, place, length, sealed] = line.split(' ');
    if (!runId || !workflowId || !place || sealed === undefined) return [];
    return [{ runId, workflowId, place, length: Number(length), sealed: sealed || undefined }];
  });
}

const fileName = /^(\d{13})-[0-9a-f]{8}\.log$/;

export const newName = (): string => `${Date.now()}-${randomBytes(4).toString('hex')}.log`;
export const begunAt = (name: string): number => Number(fileName.exec(name)?.[1]);
/** At once: every send waits for it, and a wait for a thread costs more than so small a directory. */
export const namesIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => fileName.test(name))
    .sort();

/** Made once: a journal that was lost and begun anew is another one, since it does not know what the first one knew. */
export function journalId(dir: string): string {
  const path = join(dir, 'id');
  for (;;) {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      makeId(dir, path);
    }
  }
}

/** Linked into place with its content, so that no other process reads an unfinished one. */
function makeId(dir: string, path: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const id = randomBytes(12).toString('hex');
  const mine = `${path}.${id}`;
  writeFileSync(mine, id, { mode: 0o600, flush: true });
  try {
    linkSync(mine, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(mine);
  }
}

/** Where they lie, so that whoever reads on in the file finds the rest in its place; but what stands in the place that is kept. */
export async function blotOut(dir: string, runIds: ReadonlySet<string>, kept: string): Promise<void> {
  for (const name of namesIn(dir)) {
    const file = await open(join(dir, name), 'r+').catch(unlessGone);
    if (!file) continue;
    await closing(file, async () => {
      let at = 0;
      for (const line of (await file.readFile('latin1')).split('\n')) {
        const [runId = '', , place] = line.split(' ');
        if (runIds.has(runId) && place !== kept) await file.write(' '.repeat(line.length), at, 'latin1');
        at += line.length + 1;
      }
      await file.datasync();
    });
  }
}

export function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
