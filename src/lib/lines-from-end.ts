import { open, type FileHandle } from 'node:fs/promises';
import { closing, ignoreFileNotFound } from './disk';

/** The first block is small, because the caller may need one line only. */
const firstBytes = 4_096;
const mostBytes = 65_536;
const lineEnd = 10;

/** Opens the file for each block only, because many files may be read at once. Undefined if it does not exist. */
async function within<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await open(path).catch(ignoreFileNotFound);
  return file && closing(file, () => read(file));
}

const blockBefore = (path: string, end: number, bytes: number): Promise<Buffer | undefined> =>
  within(path, async (file) => {
    const block = Buffer.alloc(Math.min(bytes, end));
    const { bytesRead } = await file.read(block, 0, block.length, end - block.length);
    return block.subarray(0, bytesRead);
  });

/**
 * Yields the lines of a file, last line first, and reads no more of it than is consumed. Ignores text after the last line break.
 */
export async function* linesFromEnd(path: string): AsyncGenerator<string> {
  /** The end of a line that starts in an earlier block. */
  let tail: Buffer[] = [];
  let isLine = false;
  let bytes = firstBytes;
  const size = await within(path, async (file) => (await file.stat()).size);
  for (let end = size ?? 0; end > 0;) {
    const block = await blockBefore(path, end, bytes);
    if (!block?.length) return;
    let to = block.length;
    for (let at = block.lastIndexOf(lineEnd); at >= 0; at = block.subarray(0, at).lastIndexOf(lineEnd)) {
      if (isLine) yield Buffer.concat([block.subarray(at + 1, to), ...tail]).toString();
      isLine = true;
      tail = [];
      to = at;
    }
    tail = [block.subarray(0, to), ...tail];
    end -= block.length;
    bytes = Math.min(2 * bytes, mostBytes);
  }
  if (isLine) yield Buffer.concat(tail).toString();
}
