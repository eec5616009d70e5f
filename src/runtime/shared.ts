/** What a process has one of, for its API and its worker alike. */
import { Client } from '@temporalio/client';
import type { Trail } from '../audit/trail';
import type { Config } from '../config/config';
import { createAdmission, type Admission } from '../intake/admission';
import type { KeyRing } from '../keys/ring';
import { createLocalRuns, type LocalRuns } from '../leads/local-runs';
import { createSearch, type Search } from '../leads/search';
import type { OpenJournal } from '../send-journal/journal';
import { openJournal } from '../send-journal/open';
import { dataConverter, type Engine } from '../temporal/engine';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics';

export interface Shared {
  readonly trail: Trail;
  /** Where this installation notes its sends, if it does. */
  readonly journal?: OpenJournal;
  /** A rate counts each start of a lead once, whichever way it comes. */
  readonly admission: Admission;
  /** What the worker has started stands in the API's next list. */
  readonly search: Search;
  close(): Promise<void>;
}

/** Where a worker runs in the process. */
export interface WorkerShared extends Shared {
  readonly metrics: WorkerMetrics;
  readonly runs: LocalRuns;
}

export async function openShared(config: Config, { connection, namespace }: Engine, keys: KeyRing, trail: Trail): Promise<Shared> {
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  const journal = await openJournal(config, keys);
  const close = async () => journal?.close();
  return { trail, journal, admission: createAdmission(client, config), search: createSearch(client), close };
}

export const withWorker = (shared: Shared): WorkerShared => ({ ...shared, metrics: createWorkerMetrics(), runs: createLocalRuns() });
