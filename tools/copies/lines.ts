/** Reads and writes the files of a copy piece by piece, so that a long trail needs little memory. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileDigest } from '../../src/lib/file-digest';

const lineEnd = 10;

/** Yields the lines of a file as bytes. Only a line feed ends a line, because the text of an entry may contain other line separators. */
export async function* linesIn(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const block of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = block.indexOf(lineEnd); at >= 0; at = block.indexOf(lineEnd, from)) {
      yield Buffer.concat([...rest, block.subarray(from, at)]);
      rest = [];
      from = at + 1;
    }
    rest.push(block.subarray(from));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last;
}

export interface Output<Name extends string> {
  write(text: string): Promise<void>;
  /** Writes the rest, and returns the digest of the whole file. */
  end(): Promise<FileDigest & { readonly name: Name }>;
  close(): Promise<void>;
}

const blockLength = 65_536;

/** Creates a file that only its owner can read. */
export async function createOutput<Name extends string>(dir: string, name: Name): Promise<Output<Name>> {
  const file = await open(join(dir, name), 'wx', 0o600);
  const hash = createHash('sha256');
  let waiting = '';
  let bytes = 0;
  async function flush(): Promise<void> {
    const block = Buffer.from(waiting);
    waiting = '';
    hash.update(block);
    bytes += block.length;
    await file.appendFile(block);
  }
  return {
    async write(text) {
      waiting += text;
      if (waiting.length >= blockLength) await flush();
    },
    async end() {
      await flush();
      await file.datasync();
      return { name, bytes, sha256: hash.digest('hex') };
    },
    close: () => file.close(),
  };
}
