/** Writes tar archives that depend on nothing but their entries: ustar, with a pax record for a name that does not fit. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export type TarEntry = {
  readonly path: string;
  readonly mode: number;
  /** The id of the owner and of the group; 0 by default. */
  readonly owner?: number;
} & (
  { readonly type: 'file'; read(): Uint8Array } | { readonly type: 'directory' } | { readonly type: 'symlink'; readonly target: string }
);

const blockLength = 512;
const nameLength = 100;
const typeFlags = { file: '0', symlink: '2', directory: '5', pax: 'x' } as const;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

interface Header {
  readonly name: string;
  readonly type: keyof typeof typeFlags;
  readonly mode: number;
  readonly owner: number;
  readonly size: number;
  readonly mtimeS: number;
  readonly target: string;
}

function headerOf({ name, type, mode, owner, size, mtimeS, target }: Header): Buffer {
  const block = Buffer.alloc(blockLength);
  const put = (text: string, offset: number, length: number) => block.write(text, offset, length, 'utf8');
  put(name, 0, nameLength);
  put(octal(mode, 8), 100, 8);
  put(octal(owner, 8), 108, 8);
  put(octal(owner, 8), 116, 8);
  put(octal(size, 12), 124, 12);
  put(octal(mtimeS, 12), 136, 12);
  put(' '.repeat(8), 148, 8);
  put(typeFlags[type], 156, 1);
  put(target, 157, nameLength);
  put('ustar\0', 257, 6);
  put('00', 263, 2);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return block;
}

/** Content up to the next block. */
function* blocksOf(content: Uint8Array): Generator<Uint8Array> {
  yield content;
  const rest = content.length % blockLength;
  if (rest > 0) yield Buffer.alloc(blockLength - rest);
}

/** `length key=value`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const text = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(text);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${text}`;
}

/** ustar has no encoding for its names, so only plain ones that are short enough go there. */
const fits = (text: string): boolean => text.length <= nameLength && /^[\x20-\x7e]*$/.test(text);

const paxName = 'pax';

/** Every entry has the same time. Directories come before what is in them, as the entries are given. */
export function* tarOf(entries: Iterable<TarEntry>, mtimeS: number): Generator<Uint8Array> {
  for (const entry of entries) {
    const { type, mode, owner = 0 } = entry;
    const path = type === 'directory' ? `${entry.path}/` : entry.path;
    const target = type === 'symlink' ? entry.target : '';
    const records = [...(fits(path) ? [] : [paxRecord('path', path)]), ...(fits(target) ? [] : [paxRecord('linkpath', target)])];
    if (records.length > 0) {
      const content = Buffer.from(records.join(''));
      yield headerOf({ name: paxName, type: 'pax', mode: 0o644, owner: 0, size: content.length, mtimeS, target: '' });
      yield* blocksOf(content);
    }
    const content = type === 'file' ? entry.read() : new Uint8Array();
    const [name, link] = [fits(path) ? path : paxName, fits(target) ? target : ''];
    yield headerOf({ name, type, mode, owner, size: content.length, mtimeS, target: link });
    yield* blocksOf(content);
  }
  yield Buffer.alloc(2 * blockLength);
}

/** What any umask leaves of a mode: whether the owner may run the file. */
const plainMode = (mode: number, isDirectory: boolean): number => (isDirectory || mode & 0o100 ? 0o755 : 0o644);

interface TreeOptions {
  /** The modes as they are, but for set-user-id and set-group-id. */
  readonly keepsModes?: boolean;
  /** Leaves out a path, and what is below it. */
  leavesOut?(path: string): boolean;
}

/** The entries of a directory, in the order of their bytes, below this prefix. */
export function* entriesOf(dir: string, prefix: string, options: TreeOptions = {}): Generator<TarEntry> {
  for (const name of readdirSync(dir).toSorted()) {
    const [file, path] = [join(dir, name), prefix === '' ? name : `${prefix}/${name}`];
    if (options.leavesOut?.(path)) continue;
    const stat = lstatSync(file);
    const mode = options.keepsModes ? stat.mode & 0o1777 : plainMode(stat.mode, stat.isDirectory());
    if (stat.isSymbolicLink()) yield { path, mode: 0o777, type: 'symlink', target: readlinkSync(file) };
    else if (stat.isFile()) yield { path, mode, type: 'file', read: () => readFileSync(file) };
    else {
      yield { path, mode, type: 'directory' };
      yield* entriesOf(file, path, options);
    }
  }
}

export const textFile = (path: string, text: string, mode = 0o644): TarEntry => ({
  path,
  mode,
  type: 'file',
  read: () => Buffer.from(text),
});
