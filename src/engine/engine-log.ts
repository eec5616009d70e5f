/** Writes the engine's output to a log file and rotates it: a full file is renamed to `<file>.1`, which replaces the one before. */
import { closeSync, openSync, statSync } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { Writable } from 'node:stream';

const fileMostBytes = 10_000_000;

/** A failed write must not stop the engine, so its lines are dropped. */
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
      // The disk is full or read-only, which the readiness check reports.
    }
  }

  return new Writable({ write: (chunk: Buffer, _, done) => void keep(chunk).finally(done) });
}
