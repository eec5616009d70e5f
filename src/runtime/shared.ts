/** The parts of which a process has one, shared by its API and its worker. */
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
  /** The send journal, if this installation has one. */
  readonly journal?: OpenJournal;
  /** Shared, so that the limits count every start of a lead, by the API or by a bulk redrive. */
  readonly admission: Admission;
  /** Shared, so that the API's next list shows what the worker has started. */
  readonly search: Search;
  close(): Promise<void>;
}

/** For a process with a worker. */
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
