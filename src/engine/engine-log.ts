/** Writes what the engine prints into its log file. A file that would grow too large becomes `<file>.1`, in place of the one before. */
import { closeSync, openSync, statSync } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { Writable } from 'node:stream';

const fileMostBytes = 10_000_000;

/** The engine must not stop for its log, so lines that cannot be written are dropped. */
export function engineLog(file: string, mostBytes = fileMostBytes): Writable {
  closeSync(openSync(file, 'a', 0o600));
  let { size } = statSync(file);

  async function keep(chunk: Buffer): Promise<void> {
    try {
      if (size + chunk.length > mostBytes) {
        await rename(file, `${file}.1`).catch(() => undefined);
        size = 0;
      }
      await appendFile(file, chunk, { mode: 0o600 });
      size += chunk.length;
    } catch {
      // The disk is full or read-only, and the readiness tells that.
    }
  }

  return new Writable({ write: (chunk: Buffer, _, done) => void keep(chunk).finally(done) });
}
