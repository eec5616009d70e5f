/** The journal of one machine: files in a directory, where each process writes to its own and reads the others'. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { inPlace, isQuickSend, type Send, type Told } from '../domain/sends';
import type { KeyRing } from '../keys/ring';
import { closing, syncDirectory } from '../lib/disk';
import { createSeal } from '../temporal/codec';
import { begunAt, blotOut, entriesIn, journalId, lineOf, namesIn, newName, unlessGone, type Entry } from './files';
import type { Committed, OpenJournal } from './journal';

/** Nobody writes to a file for longer than this … */
const writtenForMs = 30_000;
/** … so that one which was begun before this can be cleared away, whoever wrote it. */
const clearedAfterMs = 120_000;

interface Waiting {
  /** What a send came to is still being sealed, and keeps its place meanwhile. */
  readonly entry: Promise<Entry>;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** What is known of one file. What one writes oneself is known without reading. */
interface Known {
  readonly entries: Map<string, Entry>;
  readonly isOwn: boolean;
  readTo: number;
}

interface Current {
  readonly name: string;
  readonly file: FileHandle;
  readonly known: Known;
  /** By both clocks: one stands still while the machine sleeps, the other one can be set. */
  readonly isOld: () => boolean;
}

function ageing(ms: number): () => boolean {
  const [ticks, time] = [performance.now(), Date.now()];
  return () => performance.now() - ticks > ms || Math.abs(Date.now() - time) > ms;
}

const keyOf = (runId: string, place: string) => `${runId} ${place}`;

/** Stands in the place of a send: none of the run begins after it. */
const stopped = 'stopped:0';
const wasStopped: Told = { failed: 'UNKNOWN', note: { message: 'The run was stopped before this began' } };

/** A beginning, or what was read before one: nothing may go out before it is on the disk. What a send came to goes there with the next. */
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

  /** Whatever has come in meanwhile goes to the disk together. */
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
        // What was half written ends with this file.
        await endFile().catch(() => undefined);
        for (const { failed } of batch) failed(error);
      }
    }
    writing = undefined;
  }

  const write = (entry: Promise<Entry>): Promise<void> =>
    new Promise((done, failed) => {
      // It is waited for when its turn comes, and failing before is no crash.
      entry.catch(() => undefined);
      waiting.push({ entry, done, failed });
      writing ??= writeAll();
    });

  /** Never two at once, which would take the same lines for the next ones; whoever comes before one begins shares it. */
  function readOn(): Promise<void> {
    const begin = () => {
      next = undefined;
      return readAll();
    };
    next ??= reading = reading.then(begin, begin);
    return next;
  }

  /** What other processes have written, and removed, since. */
  async function readAll(): Promise<void> {
    const names = namesIn(dir);
    for (const name of files.keys()) if (!names.includes(name) && name !== current?.name) files.delete(name);
    for (const name of names) {
      const known = files.get(name) ?? { entries: new Map<string, Entry>(), isOwn: false, readTo: 0 };
      if (known.isOwn) continue;
      files.set(name, known);
      const text = await readFrom(join(dir, name), known.readTo);
      // Cleared away since it was listed: what was needed of it stands in a file that may not have been there yet.
      if (text === undefined) return readAll();
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      for (const entry of entriesIn(whole)) absorb(known, entry);
      known.readTo += whole.length;
    }
  }

  /** What is needed still goes into the file that is written now. */
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

  /** A run that was stopped has nothing to add, but how a send of it ended that had begun. */
  async function end(send: Send, told: Told): Promise<void> {
    if (isIn(send.runId, stopped) && !isIn(send.runId, send.place)) return;
    await write(seal(told).then((sealed) => ({ ...send, sealed: sealed.toString('base64') })));
  }

  /** Each writes first and reads then: of a beginning and a stop at the same moment, one at least sees the other. */
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
      // With a key that is gone nobody can tell what became of it.
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

/** Undefined when it was cleared away meanwhile. Whoever wrote it may be dead, so what is read here is on the disk before anybody relies on it. */
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
