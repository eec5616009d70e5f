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

export type Listed = Entry & { readonly file: string };

const isAsked = ({ at, leadId, action, ...rest }: Entry, asked: TrailFilter): boolean =>
  (!asked.since || at >= asked.since) &&
  (!asked.until || at <= asked.until) &&
  (!asked.action || action === asked.action) &&
  (!asked.leadId || leadId === asked.leadId || (Array.isArray(rest.leadIds) && rest.leadIds.includes(asked.leadId)));

/** The first line of a file records no action. */
const isOwn = ({ action }: Entry) => action === 'opened';

const byAge = (one: Listed, other: Listed): number => (one.at < other.at ? 1 : one.at > other.at ? -1 : other.seq - one.seq);

async function* fileFromEnd(dir: string, name: string): AsyncGenerator<Listed> {
  for await (const line of linesFromEnd(join(dir, name))) {
    const entry = parseEntry(line);
    if (entry) yield { ...entry, file: name };
  }
}

/** Yields all entries, newest first. Entries of one file keep their order, even if the clock was set back. */
async function* newestFirst(dir: string): AsyncGenerator<Listed> {
  const files = await inGroups(await trailNames(dir), filesAtOnce, async (name) => headed(fileFromEnd(dir, name)));
  for (let left = files.flat().toSorted(byHead); left[0];) {
    const [{ head, rest }, ...others] = left;
    yield head;
    left = [...(await headed(rest)), ...others].toSorted(byHead);
  }
}

interface Headed {
  readonly head: Listed;
  readonly rest: AsyncGenerator<Listed>;
}

const byHead = (one: Headed, other: Headed): number => byAge(one.head, other.head);

/** Takes the newest of the remaining entries; empty if none is left. */
async function headed(rest: AsyncGenerator<Listed>): Promise<Headed[]> {
  const next = await rest.next();
  return next.done ? [] : [{ head: next.value, rest }];
}

async function* entries(dir: string, asked: TrailFilter): AsyncGenerator<Listed> {
  for await (const entry of newestFirst(dir)) if (!isOwn(entry) && isAsked(entry, asked)) yield entry;
}

/** Returns the entries that match, newest first. */
export async function readTrail(dir: string, asked: TrailFilter): Promise<Listed[]> {
  const all: Listed[] = [];
  for await (const entry of entries(dir, asked)) all.push(entry);
  return all;
}

export interface TrailPage {
  readonly entries: readonly Listed[];
  /** The cursor of the next page, if there is one. */
  readonly next?: string;
}

/** Returns the cursor of an entry; the next page starts after it. */
const placeOf = ({ file, seq }: Listed): string => `${file}:${seq}`;

/** Returns the entries after the cursor. Undefined if no entry has this cursor. */
export async function readPage(dir: string, asked: TrailFilter, limit: number, cursor?: string): Promise<TrailPage | undefined> {
  const page: Listed[] = [];
  let isBehind = cursor === undefined;
  for await (const entry of entries(dir, asked)) {
    const last = page.at(-1);
    if (last && page.length === limit) return { entries: page, next: placeOf(last) };
    if (isBehind) page.push(entry);
    else isBehind = placeOf(entry) === cursor;
  }
  return isBehind ? { entries: page } : undefined;
}
