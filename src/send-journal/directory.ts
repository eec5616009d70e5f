/**
 * The send journal of one machine: a directory of files. Each process adds to files of its own only, and reads those of the others. Any
 * process may clear an old file, or blot out a run.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { inPlace, isQuickSend, type Send, type Told } from '../domain/sends';
import type { KeyRing } from '../keys/ring';
import { closing, syncDirectory } from '../lib/disk';
import { inTurns } from '../lib/in-turns';
import { createSeal } from '../temporal/codec';
import { begunAt, blotOut, entriesIn, journalId, lineOf, namesIn, newName, readFrom, type Entry, type Line } from './files';
import type { Committed, OpenJournal } from './journal';

/** A process writes to a file for no longer than this … */
const writtenForMs = 30_000;
/** … so a file begun before this is complete and may be cleared, whichever process wrote it. */
const clearedAfterMs = 120_000;

interface Waiting {
  /** The entry may still be waiting for its result to be encrypted; it keeps its place in the order. */
  readonly entry: Promise<Entry>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The places of a run, each with the line of its result, if there is one. */
type Places = Readonly<Record<string, Line | undefined>>;

/** The known entries of one file. Results stay on the disk, because only a task that runs again asks for one. */
interface Known {
  readonly runs: Map<string, Places>;
  /** True for a file of this process: it knows the entries from writing them, and reads a result only when asked. */
  readonly isOwn: boolean;
  readTo: number;
}

interface Current {
  readonly name: string;
  readonly file: FileHandle;
  readonly known: Known;
  /** Checks both clocks: the monotonic one stands still while the machine sleeps, and the other can be set. */
  readonly isOld: () => boolean;
}

const unread = (isOwn: boolean): Known => ({ runs: new Map(), isOwn, readTo: 0 });
const placesOf = ({ runs }: Known, runId: string): Places => runs.get(runId) ?? {};

function ageing(ms: number): () => boolean {
  const [ticks, time] = [performance.now(), Date.now()];
  return () => performance.now() - ticks > ms || Math.abs(Date.now() - time) > ms;
}

/** A stop is an entry with this `place`. After it, no send of the run begins. */
const stopped = 'stopped:0';
const wasStopped: Told = { failed: 'UNKNOWN', note: { message: 'The run was stopped before this began' } };

/**
 * True for a beginning or a stop: it must be on the disk, with all entries before it, when its writer goes on. A result is flushed with
 * the next one of these.
 */
const isWaitedFor = ({ sealed }: Entry) => sealed === undefined;

export function openDirectory(dir: string, keys: KeyRing): OpenJournal {
  const id = journalId(dir);
  const { seal, unseal } = createSeal(keys);
  const files = new Map<string, Known>();
  let current: Current | undefined;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  async function endFile(): Promise<void> {
    const last = current?.file;
    current = undefined;
    if (last) await closing(last, () => last.datasync());
  }

  async function newFile(): Promise<Current> {
    await endFile();
    const name = newName();
    const file = await open(join(dir, name), 'ax', 0o600);
    try {
      await syncDirectory(dir);
    } catch (error) {
      await file.close();
      throw error;
    }
    const known = unread(true);
    files.set(name, known);
    return (current = { name, file, known, isOld: ageing(writtenForMs) });
  }

  /** Writes in batches: entries that arrive during a write go to the disk together. */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const entries = await Promise.all(batch.map(({ entry }) => entry));
        const { file, known } = current && !current.isOld() ? current : await newFile();
        const text = entries.map(lineOf).join('');
        await file.appendFile(text, 'latin1');
        if (entries.some(isWaitedFor)) await file.datasync();
        learn(known, text);
        for (const { done } of batch) done();
      } catch (error) {
        // A half-written line stays at the end of this file; nothing follows it.
        await endFile().catch(() => undefined);
        for (const { failed } of batch) failed(error);
      }
    }
    writing = undefined;
  }

  const write = (entry: Promise<Entry>): Promise<void> =>
    new Promise((done, failed) => {
      // The batch awaits this promise later; until then a rejection must not end the process.
      entry.catch(() => undefined);
      waiting.push({ entry, done, failed });
      writing ??= writeAll();
    });

  /** Reads the other files. Reads never overlap, because both would add the same lines. */
  const readOn = inTurns(readAll);

  /** Reads the lines that other processes have added, and forgets the files that are gone. */
  async function readAll(): Promise<void> {
    const names = namesIn(dir);
    for (const name of files.keys()) if (!names.includes(name) && name !== current?.name) files.delete(name);
    for (const name of names) {
      const known = files.get(name) ?? unread(false);
      if (known.isOwn) continue;
      files.set(name, known);
      const text = await readFrom(join(dir, name), known.readTo);
      // Another process cleared the file after it was listed. Its needed entries may be in a file that was not listed, so read again.
      if (text === undefined) return readAll();
      learn(known, text.slice(0, text.lastIndexOf('\n') + 1));
    }
  }

  /** Removes a file, after its entries that are still needed are written to the current one. */
  async function clearFile(name: string, committed: Committed): Promise<void> {
    const entries = entriesIn((await readFrom(join(dir, name), 0)) ?? '');
    const done = await committed(entries);
    const needed = entries.filter(({ runId }) => !done.has(runId));
    await Promise.all(needed.map((entry) => write(Promise.resolve(entry))));
    if (needed.length > 0) await current?.file.datasync();
    await rm(join(dir, name), { force: true });
  }

  const isIn = (runId: string, place: string) => [...files.values()].some((known) => place in placesOf(known, runId));

  /** Notes a result. A stopped run may only note how a send ended that had begun. */
  async function end(send: Send, told: Told): Promise<void> {
    if (isIn(send.runId, stopped) && !isIn(send.runId, send.place)) return;
    await write(seal(told).then((sealed) => ({ ...send, sealed: sealed.toString('base64') })));
  }

  const isElsewhere = ({ runId, place }: Send) => [...files.values()].some((known) => !known.isOwn && place in placesOf(known, runId));

  /**
   * Notes a beginning: first writes it, then reads the other files. Of two processes that begin at the same moment, at least one sees the
   * other. A stop only writes, and is followed by `underWay`, which sees a beginning that missed the stop.
   */
  async function begin(send: Send): Promise<boolean> {
    if (isIn(send.runId, stopped)) return false;
    await write(Promise.resolve(send));
    await readOn();
    if (isElsewhere(send)) return false;
    if (!isIn(send.runId, stopped)) return true;
    await end(send, wasStopped);
    return false;
  }

  return {
    id,
    begin,
    end,
    async isStopped(runId) {
      await readOn();
      return isIn(runId, stopped);
    },
    async stop(runs) {
      await Promise.all(runs.map((run) => write(Promise.resolve({ ...run, place: stopped, length: 0 }))));
    },
    async underWay(runIds) {
      await readOn();
      const isOpen = (runId: string) => {
        const noted = [...files.values()].flatMap((known) => Object.entries(placesOf(known, runId)));
        const ended = new Set(noted.flatMap(([place, result]) => (result ? [place] : [])));
        return noted.some(([place]) => isQuickSend(inPlace(place).activity) && !ended.has(place));
      };
      return new Set(runIds.filter(isOpen));
    },
    async find(runId, place) {
      await readOn();
      for (const [name, known] of files) {
        const line = placesOf(known, runId)[place];
        if (!line) continue;
        const text = await readFrom(join(dir, name), line.at, line.bytes);
        // A needed entry is in another file by now: the task that asks again finds it there.
        if (text === undefined) throw new Error('The file was cleared meanwhile');
        const { sealed } = entriesIn(text).find((entry) => entry.runId === runId && entry.place === place) ?? {};
        // If another process has forgotten the run, or the key is gone, the result cannot be read, so the outcome is unknown.
        return sealed === undefined ? 'begun' : unseal(Buffer.from(sealed, 'base64')).catch(() => 'begun' as const);
      }
      return isIn(runId, place) ? 'begun' : undefined;
    },
    async clear(committed, now = Date.now()) {
      if (!writing && current?.isOld()) await endFile();
      for (const name of namesIn(dir)) if (begunAt(name) < now - clearedAfterMs && name !== current?.name) await clearFile(name, committed);
      await readOn();
    },
    async forget(runIds) {
      await writing;
      for (const known of files.values())
        for (const runId of runIds)
          if (stopped in placesOf(known, runId)) known.runs.set(runId, { [stopped]: undefined });
          else known.runs.delete(runId);
      await blotOut(dir, runIds, stopped);
    },
    async close() {
      await writing;
      await endFile();
    },
  };
}

/** Learns what the next lines of a file say. */
function learn(known: Known, text: string): void {
  for (const { runId, place, sealed, at, bytes } of entriesIn(text)) {
    const places = placesOf(known, runId);
    const line = sealed === undefined ? places[place] : { at: known.readTo + at, bytes };
    known.runs.set(copied(runId), { ...places, [place]: line });
  }
  known.readTo += text.length;
}

/** Copies a part of a text; otherwise V8 keeps the whole text in memory. */
const copied = (part: string) => Buffer.from(part, 'latin1').toString('latin1');
