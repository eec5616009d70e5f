/** Reads entries of the audit trail by time, lead and action, newest first. Reads only as much of the files as a page needs. */
import { join } from 'node:path';
import { BoundedMap } from '../lib/bounded-map';
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
export type ReadPage = (filter: TrailFilter, limit: number, cursor?: string) => Promise<TrailPage | undefined>;

/** The entries after a page, of which the first has been read. */
interface Rest {
  readonly at: number;
  readonly first: ListedEntry;
  readonly others: AsyncGenerator<ListedEntry>;
}

const mostRests = 10;
const restKeptMs = 60_000;

/** Keeps where a page has ended for a while: then reading all pages in turn reads each entry once, and not from the newest for each page. */
export function createPageReader(dir: string): ReadPage {
  const rests = new BoundedMap<string, Rest>(mostRests, ({ at }) => at < Date.now() - restKeptMs);
  const keyOf = (filter: TrailFilter, cursor: string) => JSON.stringify([cursor, filter]);

  function takeRest(key: string): Rest | undefined {
    const rest = rests.get(key);
    rests.delete(key);
    return rest;
  }

  return async (filter, limit, cursor) => {
    const kept = cursor === undefined ? undefined : takeRest(keyOf(filter, cursor));
    const others = kept?.others ?? entries(dir, filter);
    const page: ListedEntry[] = kept ? [kept.first] : [];
    let isAfterCursor = cursor === undefined || kept !== undefined;
    for (let read = await others.next(); !read.done; read = await others.next()) {
      const entry = read.value;
      const last = page.at(-1);
      if (last && page.length === limit) {
        const next = cursorOf(last);
        rests.set(keyOf(filter, next), { at: Date.now(), first: entry, others });
        return { entries: page, next };
      }
      if (isAfterCursor) page.push(entry);
      else isAfterCursor = cursorOf(entry) === cursor;
    }
    return isAfterCursor ? { entries: page } : undefined;
  };
}
