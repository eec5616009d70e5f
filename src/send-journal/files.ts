/** The files of the send journal: one line for each entry, with its ids in clear and its result encrypted. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Send } from '../domain/sends';
import { closing, makeWhole, unlessGone } from '../lib/disk';
import { codeOf } from '../lib/errors';

export interface Entry extends Send {
  /** The encrypted result; absent while the send is under way. */
  readonly sealed?: string;
}

/** The position of an entry's line in its file. */
export interface Line {
  readonly at: number;
  readonly bytes: number;
}

export const lineOf = ({ runId, workflowId, place, length, sealed = '' }: Entry): string =>
  `${runId} ${workflowId} ${place} ${length} ${sealed}\n`;

/** Skips a line that a crash cut short, and lines that were overwritten with spaces. */
export function entriesIn(text: string): (Entry & Line)[] {
  const lines = text.split('\n').slice(0, -1);
  let end = 0;
  return lines.flatMap((line) => {
    const at = end;
    end += line.length + 1;
    const [runId, ...others] = line.split(' ');
    // The workflow id of a run that was started by hand may have spaces.
    const [place, length, sealed] = others.splice(-3);
    const workflowId = others.join(' ');
    if (!runId || !workflowId || !place || sealed === undefined) return [];
    return [{ runId, workflowId, place, length: Number(length), sealed: sealed || undefined, at, bytes: end - at }];
  });
}

const fileName = /^(\d{13})-[0-9a-f]{8}\.log$/;

export const newName = (): string => `${Date.now()}-${randomBytes(4).toString('hex')}.log`;
export const begunAt = (name: string): number => Number(fileName.exec(name)?.[1]);
/** Synchronous: every send waits for it, and handing so small a directory to a thread would take longer. */
export const namesIn = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => fileName.test(name))
    .sort();

/**
 * The journal's id, made once. A journal that was lost and begun again gets another id, because it does not know what the first one knew.
 */
export function journalId(dir: string): string {
  const path = join(dir, 'id');
  for (;;) {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      makeWhole(path, randomBytes(12).toString('hex'));
    }
  }
}

/** Overwrites the lines of these runs with spaces, so that readers find the rest in its place. Lines in the place `kept` stay. */
export async function blotOut(dir: string, runIds: ReadonlySet<string>, kept: string): Promise<void> {
  for (const name of namesIn(dir)) {
    const file = await open(join(dir, name), 'r+').catch(unlessGone);
    if (!file) continue;
    await closing(file, async () => {
      let at = 0;
      for (const line of (await file.readFile('latin1')).split('\n')) {
        const [runId = '', ...others] = line.split(' ');
        if (runIds.has(runId) && others.at(-3) !== kept) await file.write(' '.repeat(line.length), at, 'latin1');
        at += line.length + 1;
      }
      await file.datasync();
    });
  }
}

/**
 * Reads a file from a position, to its end or so many bytes; undefined if it was cleared meanwhile. Its writer may have died, so this
 * syncs the file before anyone relies on it.
 */
export async function readFrom(path: string, from: number, most = Infinity): Promise<string | undefined> {
  const file = await open(path, 'r').catch(unlessGone);
  return (
    file &&
    closing(file, async () => {
      const bytes = Math.min(most, Math.max(0, (await file.stat()).size - from));
      if (bytes === 0) return '';
      await file.datasync();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
      return buffer.toString('latin1', 0, bytesRead);
    })
  );
}
