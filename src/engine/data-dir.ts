/**
 * Locks a data directory, so that it has only one engine. A lock file names the process that holds it. The lock of a dead process is taken
 * over once that process's engine has ended.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config';
import { createFileAtomically } from '../lib/disk';
import { codeOf } from '../lib/errors';

export interface Claim {
  /** Stores the engine's process id for the next process that takes the lock. */
  setEngine(pid: number | undefined): void;
  release(): void;
}

/** Longer than an engine needs to end after its parent, also if it is killed. */
const engineEndTimeoutMs = 15_000;

/** Reads a process's state from /proc, if there is one. A zombie still has an entry. */
function stateOf(pid: number): { hasEnded: boolean; startTime: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { hasEnded: fields[0] === 'Z' || fields[0] === 'X', startTime: fields[19] ?? '' };
  } catch {
    return { hasEnded: false, startTime: '' };
  }
}

/** The process id with its start time, because ids are reused. */
const nameOf = (pid: number) => `${pid} ${stateOf(pid).startTime}`.trim();

/** `owner`: a process id, and its start time if that is known. */
export function isAlive(owner: string): boolean {
  const [pid, startTime] = owner.split(' ');
  if (!pid) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  const current = stateOf(Number(pid));
  return !current.hasEnded && (!startTime || !current.startTime || startTime === current.startTime);
}

function readOwner(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function removeStale(lock: string, owner: string): void {
  const aside = `${lock}.stale-${process.pid}`;
  try {
    renameSync(lock, aside);
    // Another process may have taken the lock over just before. Then this is its lock, which is put back.
    if (readOwner(aside) !== owner) linkSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function takeLock(dir: string, lock: string): void {
  while (!createFileAtomically(lock, `${nameOf(process.pid)}\n`)) {
    const owner = readOwner(lock);
    if (owner === undefined) continue;
    if (isAlive(owner))
      throw new ConfigError(
        `The data directory ${dir} is in use by another Leadgate (process ${owner.split(' ')[0]}); stop that process, or set LEADGATE_DATA_DIR to another directory`,
      );
    removeStale(lock, owner);
  }
}

/** Waits until the previous engine has ended. It closes its ports before its database file, so only its end frees the file. */
async function waitForPreviousEngine(dir: string, engineFile: string): Promise<void> {
  const deadline = Date.now() + engineEndTimeoutMs;
  for (;;) {
    const engine = readOwner(engineFile);
    if (engine === undefined || !isAlive(engine)) return;
    if (Date.now() > deadline)
      throw new ConfigError(`The previous engine on ${dir} (process ${engine.split(' ')[0]}) has not ended yet; stop it first`);
    await pause(20);
  }
}

const engineFileIn = (dir: string): string => join(dir, 'engine.pid');

/** Returns the process group of the engine on this directory; undefined if none runs. */
export function engineOn(dir: string): number | undefined {
  const engine = readOwner(engineFileIn(dir));
  return engine !== undefined && isAlive(engine) ? Number(engine.split(' ')[0]) : undefined;
}

export async function claimDataDir(dir: string): Promise<Claim> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = join(dir, 'engine.lock');
  const engineFile = engineFileIn(dir);
  const release = () => rmSync(lock, { force: true });
  takeLock(dir, lock);
  try {
    await waitForPreviousEngine(dir, engineFile);
  } catch (error) {
    release();
    throw error;
  }
  const setEngine = (pid: number | undefined) =>
    pid ? writeFileSync(engineFile, `${nameOf(pid)}\n`) : rmSync(engineFile, { force: true });
  return { setEngine, release };
}
