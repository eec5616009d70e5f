/**
 * Makes the clocks of API and worker jump while they run, but not the engine's. It uses libfaketime if installed; otherwise it shifts only
 * the clock of JavaScript.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultAction } from './actions';

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
  (...jumpsS: readonly number[]): FaultAction =>
  async ({ stage, random }) => {
    for (const seconds of jumpsS) {
      await pause(random.between(1_000, 2_000));
      jump(stage.dir, seconds);
    }
  };

export const jumpClocks = jumping(hourS, -hourS, 3 * 24 * hourS, 0);
/** An hour is less than IDEMPOTENCY_WINDOW_H, so idempotency keys must still apply. */
export const jumpAnHour = jumping(hourS, -hourS, hourS, 0);
