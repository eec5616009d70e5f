/** A start whose call broke off: what the caller is told must be what the engine does. */
import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import type { Request } from '../../src/intake/run-options';
import { createStarter } from '../../src/intake/start';
import { createSearch } from '../../src/leads/search';
import { doneLate, doneUnheard, engineWhere, lost } from '../support/engine-where';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ withoutWorker: true })));
afterAll(() => gateway.stop());

const starter = (client: Client, config = gateway.config) =>
  createStarter({ client, config, keys: gateway.keys, search: createSearch(client) });

it('what a simulator answered is told as that, whatever is set when it is asked for again', async () => {
  const asked = request(randomUUID());
  const start = (isSandbox: boolean) => starter(gateway.client).start({ ...asked, binding: { CLINICSYS_V2_URL: isSandbox } });
  const { leadId } = await start(true);
  expect(await start(false)).toMatchObject({ leadId, replayed: true, isSandbox: true });
});

function request(idempotencyKey?: string): Request {
  const body = newLead();
  return {
    name: 'noPrescreen',
    carried: 'lead',
    body,
    given: body,
    dryRun: false,
    binding: {},
    idempotencyKey,
    flow: 'no-prescreen',
  };
}

/** The engine lists a run a moment after it was started. */
const runsOf = (workflowId: string) =>
  until(async () => {
    const runs = [];
    for await (const run of gateway.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run.runId);
    return runs.length > 0 ? runs : undefined;
  }, 'the runs are listed');

describe.each([
  ['with', () => randomUUID()],
  ['without', () => undefined],
])('%s an Idempotency-Key', (_, key) => {
  it('one that the engine did is found, and is not started again', async () => {
    const run = await starter(engineWhere(gateway.client, doneUnheard)).start(request(key()));
    expect(run.isNew).toBe(true);
    expect(await runsOf(run.workflowId)).toEqual([run.runId]);
  });

  it('one that is not there is made again, under the same lead id', async () => {
    const run = await starter(engineWhere(gateway.client, lost)).start(request(key()));
    expect(run).toMatchObject({ isNew: true, replayed: false });
    expect(await runsOf(run.workflowId)).toEqual([run.runId]);
  });

  it('one that the engine does only after it was asked is still the only one', async () => {
    const run = await starter(engineWhere(gateway.client, ...doneLate())).start(request(key()));
    expect(run.isNew).toBe(true);
    expect(await runsOf(run.workflowId)).toEqual([run.runId]);
  });

  it('one that comes second attaches to the first run', async () => {
    const asked = request(key());
    const { leadId } = await starter(gateway.client).start(asked);
    expect(await starter(engineWhere(gateway.client, lost)).start(asked)).toMatchObject({ leadId, isNew: false });
  });

  it('one that breaks off twice is never answered as not started', async () => {
    await expect(starter(engineWhere(gateway.client, lost, lost)).start(request(key()))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });
});

it('one with the Idempotency-Key of another lead is refused for that', async () => {
  const [key, { start }] = [randomUUID(), starter(gateway.client)];
  await start(request(key));
  const second = starter(engineWhere(gateway.client, lost)).start(request(key));
  await expect(second).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
});

it('one of another lead of the same person is made again: its id is its own', async () => {
  const first = request();
  const body = { ...first.body, lastName: 'Other' };
  await starter(gateway.client).start(first);
  expect(await starter(engineWhere(gateway.client, lost)).start({ ...first, body, given: body })).toMatchObject({ isNew: true });
});

it('one behind a later run under its key is unknown', async () => {
  const asked = request(randomUUID());
  const shortly = { ...gateway.config, IDEMPOTENCY_WINDOW_H: 0 };
  const first = await starter(gateway.client, shortly).start(asked);
  await gateway.client.workflow.getHandle(first.workflowId).terminate();
  const second = await starter(gateway.client, shortly).start(asked);
  expect([second.isNew, second.runId === first.runId]).toEqual([true, false]);
  await expect(starter(engineWhere(gateway.client, lost)).start(asked)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});

it('a body with a key and the same body without one are two leads', async () => {
  const keyless = request();
  const [first, second] = [
    await starter(gateway.client).start({ ...keyless, idempotencyKey: randomUUID() }),
    await starter(gateway.client).start(keyless),
  ];
  expect(second).toMatchObject({ isNew: true });
  expect(second.leadId).not.toBe(first.leadId);
});
