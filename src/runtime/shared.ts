/** Creates what the API and the worker of a process share: the audit trail, the limits of the intake, and the search of the index. */
import { Client } from '@temporalio/client';
import { createEvidenceStore, type EvidenceStore } from '../audit/evidence';
import { auditDir } from '../audit/lines';
import type { Trail } from '../audit/trail';
import type { Config } from '../config/config';
import { createAdmission, type Admission } from '../intake/admission';
import type { KeyRing } from '../keys/ring';
import { createSearch, type Search } from '../leads/search';
import { dataConverter, type Engine } from '../temporal/engine';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics';

export interface Shared {
  readonly trail: Trail;
  /** The evidence of the trail's entries. */
  readonly evidence: EvidenceStore;
  /** Shared, so that the limits count all starts, by the API and by bulk redrives. */
  readonly admission: Admission;
  /** Shared, so that the lists of the API show what the worker has started. */
  readonly search: Search;
}

/** For a process with a worker. */
export interface WorkerShared extends Shared {
  readonly metrics: WorkerMetrics;
}

export function createShared(config: Config, { connection, namespace }: Engine, keys: KeyRing, trail: Trail): Shared {
  const client = new Client({ connection, namespace, dataConverter: dataConverter(keys) });
  const evidence = createEvidenceStore(auditDir(config.LEADGATE_DATA_DIR), keys);
  return { trail, evidence, admission: createAdmission(client, config, keys), search: createSearch(client) };
}

export const withWorker = (shared: Shared): WorkerShared => ({ ...shared, metrics: createWorkerMetrics() });
