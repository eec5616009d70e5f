/** Reads which upstreams are paused, and who paused and resumed them, from the run of the pauses. */
import type { Client } from '@temporalio/client';
import { changesIn, pauseOf, pausesId, pausesIn, type PastChange, type Pause } from '../domain/pauses';
import type { Destination } from '../domain/upstreams';
import { describe } from '../temporal/ask';

export interface Pauses {
  list(): Promise<readonly Pause[]>;
  /** Returns the pause of this destination, or of its whole upstream. */
  of(destination: Destination): Promise<Pause | undefined>;
  /** Returns the latest pauses and resumes, newest first. */
  changes(): Promise<readonly PastChange[]>;
}

export function createPauses(client: Client, taskQueue: string): Pauses {
  const read = () => describe(client, pausesId(taskQueue));
  const list = async () => pausesIn(await read());
  return {
    list,
    of: async (destination) => pauseOf(await list(), destination),
    changes: async () => changesIn(await read()),
  };
}
