/** Disks for the engine that can be filled, or turn read-only. Only root may mount one. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../src/lib/errors';
import { until } from '../support/until';
import type { Act, Scene } from './acts';
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

/** A file system in memory, or ext4 in a file. Undefined where mounting is not permitted. */
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
const toldWithinMs = 5_000;
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

/** Notes it as untrue if the readiness does not become this. */
async function becomes({ stage, untrue }: Scene, isReady: boolean, withinMs: number): Promise<void> {
  const asked = async () => (await stage.ask(`${stage.url}/health/ready`)).status === (isReady ? 200 : 503);
  await until(asked, 'the readiness', withinMs).catch(() => untrue(`/health/ready did not become ${isReady ? 'green' : 'red'}`));
}

const fillDiskWhile =
  (strike: (scene: Scene) => void): Act =>
  async (scene) => {
    const { stage, random, reached, untrue } = scene;
    await reached(0.1);
    await pause(random.between(0, 500));
    const file = ballast(stage.dataDir);
    fill(file);
    strike(scene);
    const told = becomes(scene, false, toldWithinMs);
    // What is freed meanwhile is taken, too.
    for (const over = Date.now() + brokenMs; Date.now() < over; await pause(100)) fill(file);
    await told;
    rmSync(file, { force: true });
    await becomes(scene, true, readyWithinMs);
    for (const name of partNames) if (stage.parts[name].pid() === undefined) untrue(`the ${name} ended`);
  };

export const fillDisk = fillDiskWhile(() => undefined);
/** Its parent starts the server again, and can write nothing either. */
export const fillDiskAndKill = fillDiskWhile(({ stage }) => stage.parts.engine.killServer());

/** Nothing makes such a file system writable again but its repair, so an operator stops everything, repairs and mounts it. */
export const abortDisk: Act = async (scene) => {
  const { stage, random, reached } = scene;
  const dir = dirname(dirname(stage.dataDir));
  await reached(0.1);
  await pause(random.between(0, 500));
  as('mount', '-o', 'remount,abort', mountPoint(dir));
  await Promise.all([becomes(scene, false, toldWithinMs), pause(brokenMs)]);
  for (const name of ['api', 'worker', 'engine'] as const) await stage.parts[name].terminate();
  as('umount', mountPoint(dir));
  repair(image(dir));
  mountImage(dir);
};

/** 1 says that errors were found and mended. */
function repair(file: string): void {
  try {
    as('e2fsck', '-p', file);
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error;
  }
}
