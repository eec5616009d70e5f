/** The faults that strike the service while leads are on their way. Each heals what it broke, or leaves that to the trial. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PartName } from './part';
import type { Random } from './random';
import type { Stage } from './stage';
import { upstreamOf } from './upstream';

export interface Scene {
  readonly stage: Stage;
  readonly random: Random;
  /** Resolves when this share of the leads stands where the fault is to strike. */
  reached(share?: number): Promise<void>;
  /** Notes something that was promised and did not hold; it counts as a false answer. */
  untrue(what: string): void;
}

export type Act = (scene: Scene) => Promise<void>;

const release = (stage: Stage) => upstreamOf(stage).release();

/** kill -9 in the middle of a call; what was held is then answered, to whoever is left. */
export const kill =
  (...names: readonly PartName[]): Act =>
  async ({ stage, random, reached }) => {
    await reached();
    await pause(random.between(0, 100));
    await Promise.all(names.map((name) => stage.parts[name].kill()));
    await pause(random.between(0, 300));
    await release(stage);
  };

/** Longer than the engine leaves a task to a worker that does not report. */
const handedOnMs = 13_000;

/** The worker is back and finds no upstream. What is read before a send fails, so its task ends by another way than the lost one. */
export const killAndShut: Act = async (scene) => {
  const { front, parts } = scene.stage;
  await kill('worker')(scene);
  await front.close();
  await parts.worker.start();
  await pause(handedOnMs);
};

/** The engine's server alone dies, and its parent starts it again. */
export const killServer: Act = async ({ stage, random, reached }) => {
  await reached();
  await pause(random.between(0, 100));
  stage.parts.engine.killServer();
  await pause(random.between(0, 300));
  await release(stage);
};

/** Longer than an activity's deadline and grace together (2 s + 2 s). */
const frozenMs = 5_500;
/** Longer than the time-out of a workflow task: the engine gives it out again. */
export const taskLostMs = 10_500;

export const freeze =
  (name: PartName, ms = frozenMs): Act =>
  async ({ stage, random, reached }) => {
    await reached();
    stage.parts[name].freeze();
    await pause(random.between(200, 1_000));
    // The simulators themselves may be what is frozen.
    const released = release(stage);
    await pause(ms);
    stage.parts[name].thaw();
    await released;
  };

export const terminate =
  (name: PartName): Act =>
  async ({ stage, random, reached }) => {
    await reached(random.between(10, 60) / 100);
    await stage.parts[name].terminate();
  };

/** Nobody listens at the upstreams' address for a while. */
export const shut =
  (ms: number): Act =>
  async ({ stage, random }) => {
    await pause(random.between(0, 800));
    await stage.front.close();
    await pause(ms);
  };
