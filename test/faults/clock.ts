/**
 * Makes the clocks of API and worker jump while they run; the engine's clock stays. It uses libfaketime if that is installed, otherwise
 * it shifts JavaScript's clock only.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Act } from './acts';

const library = ['/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1', '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1'].find(
  (file) => existsSync(file),
);

export const clockIs = library ? 'libfaketime' : 'Date shifted in JavaScript';

const fileIn = (dir: string) => join(dir, 'clock');

const jump = (dir: string, seconds: number) => writeFileSync(fileIn(dir), `${seconds < 0 ? '' : '+'}${seconds}`);

export function clockEnv(dir: string): Record<string, string> {
  jump(dir, 0);
  if (!library) return { NODE_OPTIONS: `--require ${join(__dirname, 'shift-clock.js')}`, FAULT_CLOCK_FILE: fileIn(dir) };
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: fileIn(dir),
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

const hourS = 3_600;

const jumping =
  (...jumpsS: readonly number[]): Act =>
  async ({ stage, random }) => {
    for (const seconds of jumpsS) {
      await pause(random.between(1_000, 2_000));
      jump(stage.dir, seconds);
    }
  };

export const jumpClocks = jumping(hourS, -hourS, 3 * 24 * hourS, 0);
/** An hour is less than IDEMPOTENCY_WINDOW_H: a key must hold meanwhile. */
export const jumpAnHour = jumping(hourS, -hourS, hourS, 0);
