/** Checks readiness: the engine answers, and a worker polls the task queue. */
import type { Client } from '@temporalio/client';
import { clockHarm, clockOffMs, clockWords, harmlessMs, lastPolls } from './clock';

/** A worker polls at least this often. */
const pollMs = 75_000;

export const engineAwayMessage = 'The engine does not answer';

/** Returns why Leadgate is not ready; undefined if it is. */
export async function whyNotReady(client: Client, namespace: string, taskQueue: string): Promise<string | undefined> {
  try {
    const polls = await lastPolls(client, namespace, taskQueue);
    if (polls.some((at) => at > Date.now() - pollMs)) return undefined;
    const offMs = clockOffMs(polls);
    return offMs > harmlessMs
      ? `The clock of this machine is at least ${clockWords(offMs, "the engine's")}, so its workers seem not to poll: ${clockHarm}`
      : 'No worker is polling the task queue';
  } catch {
    return engineAwayMessage;
  }
}
