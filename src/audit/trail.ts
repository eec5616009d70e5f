/**
 * Writes the audit trail: who did what to leads, people and keys. Each process appends to its own file, the seal of each line covers the line
 * before, and an entry is on disk before the action is answered. The first line of a file names the last lines of the other files, so that a
 * truncated or missing file is detected. Entries hold no personal data and no reasons: these are in the encrypted evidence.
 */
import { randomBytes } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyRing } from '../keys/ring';
import { base32 } from '../lib/base32';
import { syncDirectory } from '../lib/disk';
import { log } from '../lib/log';
import { headsOf, makeDir, sealed, trailNames, type Head } from './lines';

/** The fields of an entry. `outcome` is `asked` before the action, and the result after it. */
export interface Facts {
  readonly who: string;
  readonly action: string;
  readonly outcome?: string;
  readonly leadId?: string;
  readonly [fact: string]: unknown;
}

export interface Trail {
  /** Resolves once the entry is on disk. An action must not happen if its entry cannot be written. */
  write(facts: Facts): Promise<Head>;
  close(): Promise<void>;
}

interface OpenFile {
  readonly handle: FileHandle;
  head: Head;
}

export const bySystem = 'leadgate';

export function openTrail(dir: string, keys: KeyRing, now: () => number = Date.now): Trail {
  let current: OpenFile | undefined;
  /** Last lines of deleted files of this process; the next file records them. */
  const lost: Head[] = [];
  let last: Promise<unknown> = Promise.resolve();

  async function put(to: OpenFile, { who, action, ...rest }: Facts): Promise<Head> {
    const { file, seq, hash: prev } = to.head;
    const at = new Date(now()).toISOString();
    const { line, hash } = sealed({ seq: seq + 1, at, who, action, ...rest, prev }, keys);
    await to.handle.appendFile(`${line}\n`);
    await to.handle.datasync();
    to.head = { file, seq: seq + 1, hash };
    // The log has the hash, too, so that collected logs can prove the chain independently.
    log.info('audit', { ...to.head, action });
    return to.head;
  }

  /** Creates a file with the first entry, so that a process without entries leaves no file. */
  async function createFile(): Promise<OpenFile> {
    await makeDir(dir);
    const heads = [...(await headsOf(dir, await trailNames(dir))), ...lost];
    const file = `${new Date(now()).toISOString().replaceAll(/[-:.]/g, '')}-${base32(randomBytes(5), 8)}.jsonl`;
    const handle = await open(join(dir, file), 'ax', 0o600);
    try {
      const opened: OpenFile = { handle, head: { file, seq: -1, hash: '' } };
      await put(opened, { who: bySystem, action: 'opened', file, heads });
      await syncDirectory(dir);
      return opened;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function append(facts: Facts): Promise<Head> {
    if (current && (await current.handle.stat()).nlink === 0) {
      lost.push(current.head);
      await current.handle.close();
      current = undefined;
    }
    current ??= await createFile();
    try {
      return await put(current, facts);
    } catch (error) {
      // The line may be incomplete. Close the file, so that nothing is appended to it.
      const { handle } = current;
      current = undefined;
      await handle.close().catch(() => undefined);
      throw error;
    }
  }

  return {
    write(facts) {
      const written = last.then(() => append(facts));
      last = written.catch(() => undefined);
      return written;
    },
    async close() {
      await last;
      await current?.handle.close();
      current = undefined;
    },
  };
}
