/** Mounts disks for the engine that can be filled or turned read-only. Only root can mount one. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../src/lib/errors';
import { until } from '../support/until';
import type { FaultAction, FaultContext } from './actions';
import { partNames } from './part';

const sizeMiB = 48;

const as = (command: string, ...args: readonly string[]) => execFileSync(command, args, { stdio: 'ignore' });
const mountPoint = (dir: string) => join(dir, 'disk');
const image = (dir: string) => join(dir, 'image');
const mountImage = (dir: string) => as('mount', '-o', 'loop', image(dir), mountPoint(dir));

export interface Disk {
  readonly dataDir: string;
  unmount(): void;
}

/** Mounts a file system in memory, or ext4 in a file. Undefined if mounting is not permitted. */
export function mountDisk(dir: string, kind: 'small disk' | 'ext4 disk'): Disk | undefined {
  mkdirSync(mountPoint(dir));
  try {
    if (kind === 'small disk') as('mount', '-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=700`, 'tmpfs', mountPoint(dir));
    else {
      closeSync(openSync(image(dir), 'w'));
      truncateSync(image(dir), 2 * sizeMiB * 1024 ** 2);
      as('mkfs.ext4', '-q', image(dir));
      mountImage(dir);
    }
  } catch {
    return undefined;
  }
  return { dataDir: join(mountPoint(dir), 'data'), unmount: () => as('umount', '-l', mountPoint(dir)) };
}

const ballast = (dataDir: string) => join(dataDir, 'ballast');
const brokenMs = 6_000;
const detectedWithinMs = 5_000;
const readyWithinMs = 60_000;

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

/** Waits until the readiness is as expected; otherwise reports a violation. */
async function expectReadiness({ stage, reportViolation }: FaultContext, isReady: boolean, withinMs: number): Promise<void> {
  const isAsExpected = async () => (await stage.ask(`${stage.url}/health/ready`)).status === (isReady ? 200 : 503);
  await until(isAsExpected, 'the readiness', withinMs).catch(() =>
    reportViolation(`/health/ready did not become ${isReady ? 'green' : 'red'}`),
  );
}

const fillDiskWhile =
  (strike: (scene: FaultContext) => void): FaultAction =>
  async (scene) => {
    const { stage, random, reached, reportViolation } = scene;
    await reached(0.1);
    await pause(random.between(0, 500));
    const file = ballast(stage.dataDir);
    fill(file);
    strike(scene);
    const detected = expectReadiness(scene, false, detectedWithinMs);
    // Also take space that is freed.
    for (const over = Date.now() + brokenMs; Date.now() < over; await pause(100)) fill(file);
    await detected;
    rmSync(file, { force: true });
    await expectReadiness(scene, true, readyWithinMs);
    for (const name of partNames) if (stage.parts[name].pid() === undefined) reportViolation(`the ${name} ended`);
  };

export const fillDisk = fillDiskWhile(() => undefined);
/** Also kills the server. Its parent restarts it, but cannot write either. */
export const fillDiskAndKill = fillDiskWhile(({ stage }) => stage.parts.engine.killServer());

/** Such a file system stays read-only until it is repaired, so an operator stops everything, repairs it and mounts it again. */
export const abortDisk: FaultAction = async (scene) => {
  const { stage, random, reached } = scene;
  const dir = dirname(dirname(stage.dataDir));
  await reached(0.1);
  await pause(random.between(0, 500));
  as('mount', '-o', 'remount,abort', mountPoint(dir));
  await Promise.all([expectReadiness(scene, false, detectedWithinMs), pause(brokenMs)]);
  for (const name of ['api', 'worker', 'engine'] as const) await stage.parts[name].terminate();
  as('umount', mountPoint(dir));
  repair(image(dir));
  mountImage(dir);
};

/** Status 1 means that errors were corrected. */
function repair(file: string): void {
  try {
    as('e2fsck', '-p', file);
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
}
