/** Declares the faults that strike the service while leads are open. Each undoes its damage, or leaves that to the trial. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PartName } from './part';
import type { Random } from './random';
import type { Stage } from './stage';
import { upstreamOf } from './upstream';

export interface FaultContext {
  readonly stage: Stage;
  readonly random: Random;
  /** Resolves when this share of the leads has reached the point where the fault strikes. */
  reached(share?: number): Promise<void>;
  /** Reports a violated guarantee, which counts as a false answer. */
  reportViolation(what: string): void;
}

export type FaultAction = (scene: FaultContext) => Promise<void>;

const release = (stage: Stage) => upstreamOf(stage).release();

/** Sends SIGKILL in the middle of a call. The simulators then answer the calls that they held. */
export const kill =
  (...names: readonly PartName[]): FaultAction =>
  async ({ stage, random, reached }) => {
    await reached();
    await pause(random.between(0, 100));
    await Promise.all(names.map((name) => stage.parts[name].kill()));
    await pause(random.between(0, 300));
    await release(stage);
  };

/** Longer than the engine waits for a worker without heartbeats before it reassigns the task. */
const handedOnMs = 13_000;

/** Kills the worker, and restarts it while the upstreams are down. The read before a send then fails, so the task takes another path than the lost one. */
export const killAndShut: FaultAction = async (scene) => {
  const { relay, parts } = scene.stage;
  await kill('worker')(scene);
  await relay.close();
  await parts.worker.start();
  await pause(handedOnMs);
};

/** Kills only the engine's server; its parent restarts it. */
export const killServer: FaultAction = async ({ stage, random, reached }) => {
  await reached();
  await pause(random.between(0, 100));
  stage.parts.engine.killServer();
  await pause(random.between(0, 300));
  await release(stage);
};

/** Longer than an activity's deadline and grace together (2 s + 2 s). */
const frozenMs = 5_500;
/** Longer than the time-out of a workflow task, so that the engine schedules it again. */
export const taskLostMs = 10_500;

export const freeze =
  (name: PartName, ms = frozenMs): FaultAction =>
  async ({ stage, random, reached }) => {
    await reached();
    stage.parts[name].freeze();
    await pause(random.between(200, 1_000));
    // Do not await: the simulators may be the frozen process.
    const released = release(stage);
    await pause(ms);
    stage.parts[name].thaw();
    await released;
  };

export const terminate =
  (name: PartName): FaultAction =>
  async ({ stage, random, reached }) => {
    await reached(random.between(10, 60) / 100);
    await stage.parts[name].terminate();
  };

/** Refuses connections to the upstreams for a while. */
export const shut =
  (ms: number): FaultAction =>
  async ({ stage, random }) => {
    await pause(random.between(0, 800));
    await stage.relay.close();
    await pause(ms);
  };
