/** Tells which upstreams are paused, from the run of the pauses itself. */
import type { Client } from '@temporalio/client';
import { pauseOf, pausesId, pausesIn, type Destination, type Pause } from '../domain/hold';
import { describe } from '../temporal/ask';

export interface Pauses {
  list(): Promise<readonly Pause[]>;
  /** The pause of this destination, or of its whole upstream. */
  of(destination: Destination): Promise<Pause | undefined>;
}

export function createPauses(client: Client, taskQueue: string): Pauses {
  const list = async () => pausesIn(await describe(client, pausesId(taskQueue)));
  return { list, of: async (destination) => pauseOf(await list(), destination) };
}
