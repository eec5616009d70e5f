/** A disk for the engine that can be filled: a file system in memory. Only root may mount one. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../src/lib/errors';
import type { Act } from './acts';

const sizeMiB = 48;

/** Undefined where mounting is not permitted. */
export function mountSmallDisk(dir: string): { unmount(): void } | undefined {
  mkdirSync(dir, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=700`, 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { unmount: () => void execFileSync('umount', ['-l', dir], { stdio: 'ignore' }) };
}

const ballast = (dataDir: string) => join(dataDir, 'ballast');
const fullMs = 6_000;

export function fill(file: string): void {
  const open = openSync(file, 'a');
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      try {
        for (;;) writeSync(open, Buffer.alloc(size));
      } catch (error) {
        if (codeOf(error) !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(open);
  }
}

export const fillDisk: Act = async ({ stage, random, reached }) => {
  await reached(0.1);
  await pause(random.between(0, 500));
  const file = ballast(stage.dataDir);
  // What is freed meanwhile is taken, too.
  for (const until = Date.now() + fullMs; Date.now() < until; await pause(100)) fill(file);
  rmSync(file, { force: true });
};
