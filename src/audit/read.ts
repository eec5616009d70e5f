/** Reads entries of the audit trail by time, lead and action, newest first. Reads only as much of the files as a page needs. */
import { join } from 'node:path';
import { inGroups } from '../lib/in-groups';
import { linesFromEnd } from '../lib/lines-from-end';
import { filesAtOnce, parseEntry, trailNames, type Entry } from './lines';

export interface TrailFilter {
  readonly since?: string;
  readonly until?: string;
  readonly leadId?: string;
  readonly action?: string;
}

export type ListedEntry = Entry & { readonly file: string };

const matches = ({ at, leadId, action, ...rest }: Entry, filter: TrailFilter): boolean =>
  (!filter.since || at >= filter.since) &&
  (!filter.until || at <= filter.until) &&
  (!filter.action || action === filter.action) &&
  (!filter.leadId || leadId === filter.leadId || (Array.isArray(rest.leadIds) && rest.leadIds.includes(filter.leadId)));

/** The first line of a file records no action. */
const isFileHeader = ({ action }: Entry) => action === 'opened';

const byAge = (one: ListedEntry, other: ListedEntry): number => (one.at < other.at ? 1 : one.at > other.at ? -1 : other.seq - one.seq);

async function* fileFromEnd(dir: string, name: string): AsyncGenerator<ListedEntry> {
  for await (const line of linesFromEnd(join(dir, name))) {
    const entry = parseEntry(line);
    if (entry) yield { ...entry, file: name };
  }
}

/** Yields all entries, newest first. Entries of one file keep their order, even if the clock was set back. */
async function* newestFirst(dir: string): AsyncGenerator<ListedEntry> {
  const files = await inGroups(await trailNames(dir), filesAtOnce, async (name) => readNext(fileFromEnd(dir, name)));
  for (let readers = files.flat().toSorted(byHead); readers[0];) {
    const [{ head, rest }, ...others] = readers;
    yield head;
    readers = [...(await readNext(rest)), ...others].toSorted(byHead);
  }
}

interface Reader {
  readonly head: ListedEntry;
  readonly rest: AsyncGenerator<ListedEntry>;
}

const byHead = (one: Reader, other: Reader): number => byAge(one.head, other.head);

/** Takes the newest of the remaining entries; empty if none is left. */
async function readNext(rest: AsyncGenerator<ListedEntry>): Promise<Reader[]> {
  const next = await rest.next();
  return next.done ? [] : [{ head: next.value, rest }];
}

async function* entries(dir: string, filter: TrailFilter): AsyncGenerator<ListedEntry> {
  for await (const entry of newestFirst(dir)) if (!isFileHeader(entry) && matches(entry, filter)) yield entry;
}

/** Returns the entries that match, newest first. */
export async function readTrail(dir: string, filter: TrailFilter): Promise<ListedEntry[]> {
  const all: ListedEntry[] = [];
  for await (const entry of entries(dir, filter)) all.push(entry);
  return all;
}

/** Returns the digests of all evidence that was erased. */
export async function readErased(dir: string): Promise<ReadonlySet<string>> {
  const erased = new Set<string>();
  for await (const { evidenceErased = [] } of newestFirst(dir)) for (const digest of evidenceErased) erased.add(digest);
  return erased;
}

export interface TrailPage {
  readonly entries: readonly ListedEntry[];
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
}

/** Returns the cursor of an entry; the next page starts after it. */
const cursorOf = ({ file, seq }: ListedEntry): string => `${file}:${seq}`;

/** Returns the entries after the cursor. Undefined if no entry has this cursor. */
export async function readPage(dir: string, filter: TrailFilter, limit: number, cursor?: string): Promise<TrailPage | undefined> {
  const page: ListedEntry[] = [];
  let isAfterCursor = cursor === undefined;
  for await (const entry of entries(dir, filter)) {
    const last = page.at(-1);
    if (last && page.length === limit) return { entries: page, next: cursorOf(last) };
    if (isAfterCursor) page.push(entry);
    else isAfterCursor = cursorOf(entry) === cursor;
  }
  return isAfterCursor ? { entries: page } : undefined;
}
