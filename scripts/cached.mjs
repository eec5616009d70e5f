/** Installs pinned tools for tests once, into a cache outside the project. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'leadgate');
const timeoutMs = 5 * 60_000;

/** Runs a command; rejects if it fails. */
export function run(command, args, options = {}) {
  return new Promise((done, refuse) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: timeoutMs, ...options });
    child.once('error', refuse);
    child.once('exit', (status, signal) =>
      status === 0 ? done() : refuse(new Error(`${basename(command)} ${args[0]} ended with ${signal ?? status}`)),
    );
  });
}

/** Creates a directory of the cache. A directory without a stamp is incomplete and is created again. */
export async function cached(name, make) {
  const dir = join(cache, name);
  const stamp = join(dir, '.whole');
  if (existsSync(stamp)) return dir;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  await make(dir);
  writeFileSync(stamp, '');
  return dir;
}
