/** Writes a copy: the entries as JSON lines, as a CSV table and as a page, a hash chain over them, and a signed manifest. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainCsvLine } from '../../src/lib/csv';
import { syncDirectory } from '../../src/lib/disk';
import { createOutput } from './lines';
import { fileNames, firstLink, linkOf, type About, type Manifest, type TrailPart } from './manifest';
import { pageEnd, pageHead, pageRow, type PageColumn } from './page';
import type { Signer } from './signer';

/** A column of the table; without a width it is in the CSV file only. */
export interface Column<Entry> extends Omit<PageColumn, 'width'> {
  readonly width?: number;
  text(entry: Entry): string;
}

/** A line of the audit trail. */
interface TrailLine {
  readonly file: string;
  readonly seq: number;
  readonly hash: string;
}

export interface Form<Entry> {
  readonly columns: readonly Column<Entry>[];
  /** What else an entry has, as text: on the page it stands below the columns. */
  contentOf?(entry: Entry): string;
  trailLineOf(entry: Entry): TrailLine | undefined;
}

export type Entries<Entry> = AsyncIterable<Entry> | Iterable<Entry>;

/** Excel needs this mark to read a file as UTF-8. */
const byteOrderMark = '\uFEFF';

const isOnPage = <Entry>(column: Column<Entry>): column is Column<Entry> & PageColumn => column.width !== undefined;

function withLine(part: TrailPart | undefined, { file, seq, hash }: TrailLine): TrailPart {
  const line = { seq, hash };
  return { file, entries: (part?.entries ?? 0) + 1, first: part?.first ?? line, last: line };
}

/** Creates the directory. If the copy cannot be completed, removes it again. */
export async function writeCopy<Entry extends object>(
  dir: string,
  about: About,
  form: Form<Entry>,
  entriesIn: (dir: string) => Entries<Entry>,
  signer: Signer,
): Promise<Manifest> {
  await mkdir(dir, { mode: 0o700 });
  try {
    const written = await writeEntries(dir, about, form, entriesIn(dir), signer);
    const { fingerprint, publicKey } = signer;
    const manifest: Manifest = { format: 'leadgate copy 1', ...about, ...written, signer: { algorithm: 'Ed25519', fingerprint } };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    const put = (name: string, content: string | Uint8Array) =>
      writeFile(join(dir, name), content, { mode: 0o600, flag: 'wx', flush: true });
    await put(fileNames.publicKey, publicKey);
    await put(fileNames.signature, signer.sign(bytes));
    await put(fileNames.manifest, bytes);
    await syncDirectory(dir);
    return manifest;
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function writeEntries<Entry extends object>(
  dir: string,
  about: About,
  { columns, contentOf, trailLineOf }: Form<Entry>,
  entries: Entries<Entry>,
  { fingerprint }: Signer,
): Promise<Pick<Manifest, 'entries' | 'trail' | 'files' | 'chain'>> {
  const onPage = columns.filter(isOnPage);
  const [lines, table, page, links] = await Promise.all([
    createOutput(dir, fileNames.entries),
    createOutput(dir, fileNames.table),
    createOutput(dir, fileNames.page),
    createOutput(dir, fileNames.chain),
  ]);
  const outputs = [lines, table, page, links];
  try {
    await table.write(byteOrderMark + plainCsvLine(['No.', ...columns.map(({ title }) => title), ...(contentOf ? ['Content'] : [])]));
    await page.write(pageHead(about, onPage, fingerprint));
    const trail = new Map<string, TrailPart>();
    let count = 0;
    let link = firstLink;
    for await (const entry of entries) {
      const line = JSON.stringify(entry);
      count += 1;
      link = linkOf(link, line);
      await lines.write(`${line}\n`);
      await links.write(`${link}\n`);
      await table.write(
        plainCsvLine([String(count), ...columns.map((column) => column.text(entry)), ...(contentOf ? [contentOf(entry)] : [])]),
      );
      const cells = onPage.map((column) => column.text(entry));
      await page.write(pageRow(count, onPage, cells, contentOf?.(entry)));
      const trailLine = trailLineOf(entry);
      if (trailLine) trail.set(trailLine.file, withLine(trail.get(trailLine.file), trailLine));
    }
    await page.write(pageEnd(count));
    const files = await Promise.all(outputs.map((output) => output.end()));
    return { entries: count, trail: [...trail.values()], files, chain: link };
  } finally {
    await Promise.all(outputs.map((output) => output.close()));
  }
}
