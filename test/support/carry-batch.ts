/** Starts, stops and awaits bulk orders, and creates the worker's function that carries out a batch. */
import { randomBytes } from 'node:crypto';
import { sandboxPort, upstreamsOf } from '../../src/config/upstreams';
import type { BulkInput, BulkMemo, CarryBatch } from '../../src/domain/bulk';
import { createAdmission } from '../../src/intake/admission';
import { createCarryBatch, type BulkEntry } from '../../src/orders/bulk';
import { createSearch } from '../../src/leads/search';
import type { Gateway } from './gateway';
import { until } from './until';

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
    ...{ client, config, keys, search: createSearch(client) },
    upstreams: upstreamsOf(config, sandboxPort({ ...config, SANDBOX_PORT: Number(new URL(sandboxUrl).port) }, 'on')),
    admission: createAdmission(client, { ...config, ...limits }, keys),
    record,
    keepEvidence: async () => 'the digest of the evidence',
    copiedAt,
  });

/** Starts an order for these leads, as the API does after it has counted them. Returns its id. */
export async function beginOrder(
  { client, config }: Gateway,
  order: Pick<BulkInput, 'verb' | 'leadIds' | 'reason' | 'fields' | 'ratePerS'>,
) {
  const { verb, leadIds, ratePerS, reason } = order;
  const orderId = `${verb === 'redrive' ? 'r' : 'd'}${randomBytes(10).toString('hex')}`;
  const startedAt = new Date().toISOString();
  await client.workflow.start('carryOrder', {
    workflowId: `bulk-${orderId}`,
    taskQueue: config.TASK_QUEUE,
    args: [{ ...order, orderId, startedAt }],
    memo: { bulk: { verb, digest: '', state: 'running', count: leadIds.length, ratePerS, startedAt, reason } satisfies BulkMemo },
  });
  return orderId;
}

/** Waits until the order has ended, and returns its report. Without a worker, the report has no state. */
export const endedOrder = ({ get }: Pick<Gateway, 'get'>, path: string) =>
  until(async () => {
    const { body } = await get(path);
    return body.success && body.state !== 'running' ? body : undefined;
  }, 'the order has ended');

/** Repeats a stop until the answer is not `running`. On a busy machine, the current lead may take longer than a stop waits. */
export const stoppedOrder = ({ post }: Pick<Gateway, 'post'>, path: string, reason: string) =>
  until(async () => {
    const answer = await post(`${path}/stop`, { reason });
    return answer.body.state === 'running' ? undefined : answer;
  }, 'a stop answers anything but `running`');

/** Ids of leads that do not exist. */
export const unknownLeads = (count: number) => Array.from({ length: count }, (_, at) => `none-${at}`);
