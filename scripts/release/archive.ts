/** Writes entries as a compressed tar archive, piece by piece. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarOf, type TarEntry } from './tar';

/** Returns the digest of the archive before its compression. */
export async function writeArchive(path: string, entries: Iterable<TarEntry>, mtimeS: number): Promise<string> {
  const hash = createHash('sha256');
  async function* hashed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      hash.update(piece);
      yield piece;
    }
  }
  // Node's gzip has no time and no file name in its header.
  await pipeline(Readable.from(tarOf(entries, mtimeS)), hashed, createGzip(), createWriteStream(path, { flags: 'wx' }));
  return hash.digest('hex');
}
