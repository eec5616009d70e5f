/** The send journal of one machine: a directory of files. Each process writes to a file of its own and reads those of the others. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { inPlace, isQuickSend, type Send, type Told } from '../domain/sends';
import type { KeyRing } from '../keys/ring';
import { closing, syncDirectory, unlessGone } from '../lib/disk';
import { createSeal } from '../temporal/codec';
import { begunAt, blotOut, entriesIn, journalId, lineOf, namesIn, newName, type Entry } from './files';
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

/** The known entries of one file. A process does not read its own file. */
interface Known {
  readonly entries: Map<string, Entry>;
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

function ageing(ms: number): () => boolean {
  const [ticks, time] = [performance.now(), Date.now()];
  return () => performance.now() - ticks > ms || Math.abs(Date.now() - time) > ms;
}

const keyOf = (runId: string, place: string) => `${runId} ${place}`;

/** An entry in the place of a send: after it, no send of the run begins. */
const stopped = 'stopped:0';
const wasStopped: Told = { failed: 'UNKNOWN', note: { message: 'The run was stopped before this began' } };

/**
 * True for the beginning of a send and for a read's result: nothing may be sent before these are on the disk. A send's result gets there
 * with the next write.
 */
const isWaitedFor = ({ sealed, place }: Entry) => sealed === undefined || !isQuickSend(inPlace(place).activity);

export function openDirectory(dir: string, keys: KeyRing): OpenJournal {
  const id = journalId(dir);
  const { seal, unseal } = createSeal(keys);
  const files = new Map<string, Known>();
  let current: Current | undefined;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let reading: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

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
    const known = { entries: new Map<string, Entry>(), isOwn: true, readTo: 0 };
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
        await file.appendFile(entries.map(lineOf).join(''));
        if (entries.some(isWaitedFor)) await file.datasync();
        for (const entry of entries) absorb(known, entry);
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

  /** Reads the other files. Reads never overlap, because both would add the same lines; callers before a read begins share it. */
  function readOn(): Promise<void> {
    const begin = () => {
      next = undefined;
      return readAll();
    };
    next ??= reading = reading.then(begin, begin);
    return next;
  }

  /** Reads the lines that other processes have added, and forgets the files that they have removed. */
  async function readAll(): Promise<void> {
    const names = namesIn(dir);
    for (const name of files.keys()) if (!names.includes(name) && name !== current?.name) files.delete(name);
    for (const name of names) {
      const known = files.get(name) ?? { entries: new Map<string, Entry>(), isOwn: false, readTo: 0 };
      if (known.isOwn) continue;
      files.set(name, known);
      const text = await readFrom(join(dir, name), known.readTo);
      // Another process cleared the file after it was listed. Its needed entries may be in a file that was not listed, so read again.
      if (text === undefined) return readAll();
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      for (const entry of entriesIn(whole)) absorb(known, entry);
      known.readTo += whole.length;
    }
  }

  /** Removes a file, after its entries that are still needed are written to the current one. */
  async function clearFile(name: string, settled: Committed): Promise<void> {
    const entries = entriesIn((await readFrom(join(dir, name), 0)) ?? '');
    const done = await settled(entries);
    const needed = entries.filter(({ runId }) => !done.has(runId));
    await Promise.all(needed.map((entry) => write(Promise.resolve(entry))));
    if (needed.length > 0) await current?.file.datasync();
    await rm(join(dir, name), { force: true });
  }

  const isIn = (runId: string, place: string) => [...files.values()].some(({ entries }) => entries.has(keyOf(runId, place)));
  const entriesOf = (runId: string) =>
    [...files.values()].flatMap(({ entries }) => [...entries.values()].filter((entry) => entry.runId === runId));

  /** Notes a result. A stopped run may only note how a send ended that had begun. */
  async function end(send: Send, told: Told): Promise<void> {
    if (isIn(send.runId, stopped) && !isIn(send.runId, send.place)) return;
    await write(seal(told).then((sealed) => ({ ...send, sealed: sealed.toString('base64') })));
  }

  /** Notes a beginning: first writes, then reads. If a stop happens at the same moment, at least one of the two sees the other. */
  async function begin(send: Send): Promise<boolean> {
    if (isIn(send.runId, stopped)) return false;
    await write(Promise.resolve(send));
    await readOn();
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
        const ended = new Set(entriesOf(runId).flatMap(({ place, sealed }) => (sealed === undefined ? [] : [place])));
        return entriesOf(runId).some(({ place }) => isQuickSend(inPlace(place).activity) && !ended.has(place));
      };
      return new Set(runIds.filter(isOpen));
    },
    async find(runId, place) {
      await readOn();
      const found = [...files.values()].flatMap(({ entries }) => entries.get(keyOf(runId, place)) ?? []);
      const { sealed } = found.find(({ sealed }) => sealed !== undefined) ?? {};
      if (sealed === undefined) return found.length > 0 ? 'begun' : undefined;
      // If the key is gone, the result cannot be read, so the outcome is unknown.
      return unseal(Buffer.from(sealed, 'base64')).catch(() => 'begun' as const);
    },
    async clear(settled, now = Date.now()) {
      if (!writing && current?.isOld()) await endFile();
      for (const name of namesIn(dir)) if (begunAt(name) < now - clearedAfterMs && name !== current?.name) await clearFile(name, settled);
      await readOn();
    },
    async forget(runIds) {
      await writing;
      for (const { entries } of files.values())
        for (const [key, { runId, place }] of entries) if (runIds.has(runId) && place !== stopped) entries.delete(key);
      await blotOut(dir, runIds, stopped);
    },
    async close() {
      await writing;
      await endFile();
    },
  };
}

function absorb({ entries }: Known, entry: Entry): void {
  const key = keyOf(entry.runId, entry.place);
  if (entry.sealed !== undefined || !entries.has(key)) entries.set(key, entry);
}

/**
 * Reads a file from a position; undefined if it was cleared meanwhile. Its writer may have died, so this syncs the file before anyone
 * relies on it.
 */
async function readFrom(path: string, from: number): Promise<string | undefined> {
  const file = await open(path, 'r').catch(unlessGone);
  return (
    file &&
    closing(file, async () => {
      const bytes = Math.max(0, (await file.stat()).size - from);
      if (bytes === 0) return '';
      await file.datasync();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
      return buffer.toString('latin1', 0, bytesRead);
    })
  );
}
