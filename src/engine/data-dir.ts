/** One engine a data dir: a lock file names the process that has it, and a dead one's is taken over once its engine has ended, too. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../config/config';
import { codeOf } from '../lib/errors';

export interface Claim {
  /** Says which process the engine is, for who comes after us. */
  setEngine(pid: number | undefined): void;
  release(): void;
}

/** Longer than an engine that lost its parent takes to end, by itself or by force. */
const engineEndsWithinMs = 15_000;

/** What the kernel says of a process, where it can be read: one that has ended but was not yet collected is there, too. */
function stateOf(pid: number): { hasEnded: boolean; startTime: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { hasEnded: fields[0] === 'Z' || fields[0] === 'X', startTime: fields[19] ?? '' };
  } catch {
    return { hasEnded: false, startTime: '' };
  }
}

/** With its start time, because a process number alone may have been given to another program since. */
const nameOf = (pid: number) => `${pid} ${stateOf(pid).startTime}`.trim();

function isAlive(owner: string): boolean {
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

/** Linked into place with its content, so that no other process ever reads an unfinished lock. */
function tryClaim(lock: string): boolean {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, `${nameOf(process.pid)}\n`);
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeStale(lock: string, owner: string): void {
  const aside = `${lock}.stale-${process.pid}`;
  try {
    renameSync(lock, aside);
    // Another process may have taken it over a moment before: then this one is its lock and goes back.
    if (readOwner(aside) !== owner) linkSync(aside, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function takeLock(dir: string, lock: string): void {
  while (!tryClaim(lock)) {
    const owner = readOwner(lock);
    if (owner === undefined) continue;
    if (isAlive(owner))
      throw new ConfigError(
        `The data directory ${dir} is in use by another Leadgate (process ${owner.split(' ')[0]}); stop that one, or set LEADGATE_DATA_DIR to another directory`,
      );
    removeStale(lock, owner);
  }
}

/** An engine closes its ports first and its file last: only its end says that the file is free. */
async function lastEngineEnded(dir: string, engineFile: string): Promise<void> {
  const deadline = Date.now() + engineEndsWithinMs;
  for (;;) {
    const engine = readOwner(engineFile);
    if (engine === undefined || !isAlive(engine)) return;
    if (Date.now() > deadline)
      throw new ConfigError(`The last engine on ${dir} (process ${engine.split(' ')[0]}) has not ended yet; stop it first`);
    await pause(20);
  }
}

export async function claimDataDir(dir: string): Promise<Claim> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = join(dir, 'engine.lock');
  const engineFile = join(dir, 'engine.pid');
  const release = () => rmSync(lock, { force: true });
  takeLock(dir, lock);
  try {
    await lastEngineEnded(dir, engineFile);
  } catch (error) {
    release();
    throw error;
  }
  const setEngine = (pid: number | undefined) =>
    pid ? writeFileSync(engineFile, `${nameOf(pid)}\n`) : rmSync(engineFile, { force: true });
  return { setEngine, release };
}
