/** The function that carries out a bulk order for a few leads, as the worker of this gateway has it. */
import { sandboxPort, upstreamsOf } from '../../src/config/upstreams';
import type { CarryBatch } from '../../src/domain/bulk';
import { createAdmission } from '../../src/intake/admission';
import { createCarryBatch, type BulkEntry } from '../../src/intake/bulk';
import { createClaims } from '../../src/leads/claims';
import { createSearch } from '../../src/leads/search';
import type { Gateway } from './gateway';

interface Differently {
  readonly limits?: { readonly OPEN_LEADS_MAX?: number };
  readonly record?: (entry: BulkEntry) => Promise<unknown>;
  readonly copiedAt?: number;
}

export const carryBatchOf = (
  { client, config, keys, sandboxUrl }: Gateway,
  { limits = {}, record = async () => undefined, copiedAt }: Differently = {},
): CarryBatch =>
  createCarryBatch({
    ...{ client, config, keys, claims: createClaims(client, config.TASK_QUEUE), search: createSearch(client) },
    upstreams: upstreamsOf(config, sandboxPort({ ...config, SANDBOX_PORT: Number(new URL(sandboxUrl).port) }, 'on')),
    admission: createAdmission(client, { ...config, ...limits }),
    record,
    copiedAt,
  });
