/** The journal of one machine: files in a directory, where each process writes to its own and reads the others'. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyRing } from '../keys';
import { begunAt, blotOut, entriesIn, journalId, lineOf, namesIn, newName, unlessGone, type Entry } from './files';
import type { OpenJournal, Settled } from './journal';
import { createSeal } from './seal';

/** Nobody writes to a file for longer than this … */
const writtenForMs = 30_000;
/** … so that one which was begun before this can be cleared away, whoever wrote it. */
const clearedAfterMs = 120_000;

interface Waiting {
  readonly entry: Entry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** What is known of one file; one's own is not read. */
interface Known {
  readonly entries: Map<string, Entry>;
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

const isBeginning = ({ sealed }: Entry) => sealed === undefined;
const keyOf = (runId: string, place: string) => `${runId} ${place}`;

export function openDirectory(dir: string, keys: KeyRing): OpenJournal {
  const id = journalId(dir);
  const { seal, unseal } = createSeal(keys);
  const files = new Map<string, Known>();
  let current: Current | undefined;
  /** Written, and on the disk with the next beginning. */
  let unsynced: Entry[] = [];
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  async function newFile(): Promise<Current> {
    await current?.file.close();
    current = undefined;
    const name = newName();
    const known = { entries: new Map<string, Entry>(), readTo: Infinity };
    files.set(name, known);
    const file = await open(join(dir, name), 'ax', 0o600);
    const directory = await open(dir, 'r');
    try {
      await directory.datasync();
    } finally {
      await directory.close();
    }
    return (current = { name, file, known, isOld: ageing(writtenForMs) });
  }

  /**
   * Whatever has come in meanwhile goes to the disk together. Only a beginning must be there before anything else may happen: what ended
   * before it goes with it, into a new file, too.
   */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const goesOn = current && !current.isOld() ? current : undefined;
        const { file, known } = goesOn ?? (await newFile());
        const entries = batch.map(({ entry }) => entry);
        await file.appendFile([...(goesOn ? [] : unsynced), ...entries].map(lineOf).join(''));
        if (!goesOn || entries.some(isBeginning)) {
          await file.datasync();
          unsynced = [];
        } else unsynced.push(...entries);
        for (const { entry, done } of batch) {
          absorb(known, entry);
          done();
        }
      } catch (error) {
        // What was half written ends with this file.
        await current?.file.close().catch(() => undefined);
        current = undefined;
        for (const { failed } of batch) failed(error);
      }
    }
    writing = undefined;
  }

  const write = (entry: Entry): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ entry, done, failed });
      writing ??= writeAll();
    });

  /** What other processes have written, and removed, since. */
  async function readOn(): Promise<void> {
    const names = await namesIn(dir);
    for (const name of files.keys()) if (!names.includes(name)) files.delete(name);
    for (const name of names) {
      const known = files.get(name) ?? { entries: new Map<string, Entry>(), readTo: 0 };
      files.set(name, known);
      if (known.readTo === Infinity) continue;
      const text = await readFrom(join(dir, name), known.readTo);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      for (const entry of entriesIn(whole)) absorb(known, entry);
      known.readTo += whole.length;
    }
  }

  /** What is needed still goes into the file that is written now. */
  async function clearFile(name: string, settled: Settled): Promise<void> {
    const entries = entriesIn(await readFrom(join(dir, name), 0));
    const done = await settled(entries);
    await Promise.all(entries.filter(({ runId }) => !done.has(runId)).map(write));
    await rm(join(dir, name), { force: true });
  }

  return {
    id,
    async find(runId, place) {
      await readOn();
      const found = [...files.values()].flatMap(({ entries }) => entries.get(keyOf(runId, place)) ?? []);
      const { sealed } = found.find(({ sealed }) => sealed !== undefined) ?? {};
      if (sealed === undefined) return found.length > 0 ? 'begun' : undefined;
      // With a key that is gone nobody can tell what became of it.
      return unseal(Buffer.from(sealed, 'base64')).catch(() => 'begun' as const);
    },
    begin: async (send) => write(send).then(() => true),
    end: async (send, told) => write({ ...send, sealed: (await seal(told)).toString('base64') }),
    async clear(settled, now = Date.now()) {
      for (const name of await namesIn(dir))
        if (begunAt(name) < now - clearedAfterMs && name !== current?.name) await clearFile(name, settled);
      await readOn();
    },
    async forget(runIds) {
      await writing;
      unsynced = unsynced.filter(({ runId }) => !runIds.has(runId));
      for (const { entries } of files.values()) for (const [key, { runId }] of entries) if (runIds.has(runId)) entries.delete(key);
      await blotOut(dir, runIds);
    },
    async close() {
      await writing;
      await current?.file.datasync();
      await current?.file.close();
      current = undefined;
    },
  };
}

function absorb({ entries }: Known, entry: Entry): void {
  const key = keyOf(entry.runId, entry.place);
  if (entry.sealed !== undefined || !entries.has(key)) entries.set(key, entry);
}

/** Empty when it was cleared away meanwhile. */
async function readFrom(path: string, from: number): Promise<string> {
  const file = await open(path, 'r').catch(unlessGone);
  if (!file) return '';
  try {
    const bytes = Math.max(0, (await file.stat()).size - from);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
