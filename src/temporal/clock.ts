/** Compares this machine's clock with the engine's, which stamps each poll of a worker. */
import { Client } from '@temporalio/client';
import { log } from '../lib/log';
import { repeating } from '../lib/repeating';
import { within } from './ask';
import type { Engine } from './engine';

const askMs = 2_000;
const workflowTasks = 1;
/** The engine lists a worker for this long after its last poll. */
const listedMs = 300_000;
const watchEveryMs = 60_000;

/** A smaller difference does no harm. */
export const harmlessMs = 30_000;
export const clockHarm = 'synchronise this machine (NTP): receivers refuse events whose time is off by five minutes';

/** Describes by how much this machine's clock is off. */
export const clockWords = (offMs: number, whose: string): string =>
  `${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? 'ahead of' : 'behind'} ${whose}`;

/** Reads when the workers of a task queue last polled, by the engine's clock. */
export async function lastPolls(client: Client, namespace: string, taskQueue: string): Promise<number[]> {
  const { pollers } = await within(client, Date.now() + askMs, () =>
    client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType: workflowTasks }),
  );
  return (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000);
}

/** Returns how far this machine's clock is at least ahead of the engine's, or behind it if negative; 0 if the polls do not prove it. */
export function clockOffMs(polls: readonly number[], now = Date.now()): number {
  if (polls.length === 0) return 0;
  const sinceMs = now - Math.max(...polls);
  return sinceMs < 0 ? sinceMs : Math.max(0, sinceMs - listedMs);
}

/** As `clockOffMs`; 0 also if the engine does not answer. */
export async function engineOffMs(engine: Engine, taskQueue: string): Promise<number> {
  const polls = await lastPolls(new Client(engine), engine.namespace, taskQueue).catch(() => []);
  return clockOffMs(polls);
}

/** Logs when the clocks differ. Returns a function that stops. */
export function watchClock(engine: Engine, taskQueue: string): () => Promise<void> {
  let wasOff = false;
  return repeating(watchEveryMs, async () => {
    const offMs = await engineOffMs(engine, taskQueue);
    const isOff = Math.abs(offMs) > harmlessMs;
    if (isOff && !wasOff) log.warn(`the clock of this machine is at least ${clockWords(offMs, "the engine's")}: ${clockHarm}`);
    wasOff = isOff;
  });
}
