import { randomUUID } from 'node:crypto';
import { redriveKind } from '../../src/api/bulk/order-answers';
import { createBulkOrders } from '../../src/api/bulk/orders';
import type { BulkBatch } from '../../src/domain/bulk';
import { attemptIdOf } from '../../src/domain/ids';
import { readHistory } from '../../src/leads/history';
import { createSearch } from '../../src/leads/search';
import { eraseUntilDone } from '../support/background';
import { beginOrder, carryBatchOf, endedOrder, stoppedOrder, unknownLeads } from '../support/carry-batch';
import { startedLate, startedWithoutAnswer, withFailingStarts, lost, refused, type StartCall } from '../support/failing-starts';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { SYNC_WAIT_MS: '60000' } });
});
afterAll(() => gateway.stop());

const noPrescreen = '/api/clinicsys/no-prescreen';
const reason = 'the instance was mistyped';
const mended = { instanceName: 'erg-oct' };

/** Leads of a protocol of their own, which no site system knows the instance of. */
async function failedLeads(count: number, fields = {}) {
  const protocol = `P-${randomUUID()}`;
  const leads = Array.from({ length: count }, () => newLead('', { protocol, instanceName: 'erg-oct.key-404', ...fields }));
  const answers = await Promise.all(leads.map((lead) => gateway.post(noPrescreen, lead)));
  const order = { filter: { protocol }, reason, fields: mended };
  await until(async () => (await gateway.post('/api/redrives', order)).body.count === count, 'all failed leads are counted');
  return { protocol, leads, leadIds: answers.map(({ body }) => String(body.leadId)), order };
}

const redrive = async (order: object, headers = {}) => {
  const { status, body } = await gateway.post('/api/redrives', order, headers);
  expect([status, body.state]).toEqual([202, 'running']);
  return String(body.redriveId);
};
const read = async (redriveId: string, query = '') => (await gateway.get(`/api/redrives/${redriveId}${query}`)).body;
const ended = (redriveId: string) => endedOrder(gateway, `/api/redrives/${redriveId}`);
const listed = async (query: Record<string, string>) =>
  (await gateway.get(`/api/leads?${new URLSearchParams(query).toString()}`)).body.leads as { leadId: string; state: string }[];
/** How often each lead was sent, as its upstream saw it. */
const sendsOf = async (leads: readonly { email: string }[], { sandbox }: Gateway = gateway) => {
  const sent = (await sandbox()).requests.filter(({ call }) => call === 'v1');
  return leads.map(({ email }) => sent.filter(({ body }) => body.includes(encodeURIComponent(email))).length);
};
const ones = (count: number) => Array.from({ length: count }, () => 1);

describe('a redrive of many leads', () => {
  it('counts the leads first, rejects another count, then delivers each once', async () => {
    const { order, leads, leadIds, protocol } = await failedLeads(11);
    const counted = await gateway.post('/api/redrives', order);
    expect(counted).toMatchObject({ status: 200, body: { success: true, count: 11 } });
    expect(counted.body.sample).toHaveLength(10);
    expect(leadIds).toEqual(expect.arrayContaining(counted.body.sample));

    expect(await gateway.post('/api/redrives', { ...order, count: 10 })).toMatchObject({
      status: 409,
      body: { count: 11, error: { code: 'WRONG_STATE' } },
    });
    expect(await sendsOf(leads)).toEqual(ones(11).fill(0));

    const started = await gateway.post('/api/redrives', { ...order, count: 11, ratePerS: 50 });
    const { redriveId, statusUrl } = started.body;
    expect(started.body).toEqual({ success: true, redriveId, state: 'running', count: 11, statusUrl: `/api/redrives/${redriveId}` });
    expect(started.headers.get('location')).toBe(statusUrl);

    const report = await ended(redriveId);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const numbers = { count: 11, done: 11, failedToStart: 0, remaining: 0, ratePerS: 50 };
    expect(report).toMatchObject({ success: true, redriveId, state: 'done', ...numbers, startedAt: time, endedAt: time });
    expect(report.results.map(({ leadId }: { leadId: string }) => leadId).toSorted()).toEqual(leadIds.toSorted());
    expect(report.results.every(({ outcome }: { outcome: string }) => outcome === 'started')).toBe(true);
    await until(
      async () => (await read(redriveId)).results.every(({ state }: { state: string }) => state === 'delivered'),
      'every lead is delivered, and the redrive says so',
    );
    expect(await sendsOf(leads)).toEqual(ones(11));

    // Each lead stands in the list once, in its newest state, whatever the pages are cut to.
    const seen: { leadId: string; state: string }[] = [];
    let cursor: string | undefined;
    do {
      const page = (await gateway.get(`/api/leads?limit=4&protocol=${protocol}${cursor ? `&cursor=${cursor}` : ''}`)).body;
      seen.push(...page.leads);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen.map(({ leadId }) => leadId).toSorted()).toEqual(leadIds.toSorted());
    expect(seen.every(({ state }) => state === 'delivered')).toBe(true);
    expect(await listed({ protocol, state: 'failed' })).toEqual([]);
    expect((await gateway.post('/api/redrives', order)).body.count).toBe(0);
  });

  it('has its reason and what it changed on the audit trail of each lead; an erasure removes what is about its person', async () => {
    const { order, leads, leadIds } = await failedLeads(2);
    const redriveId = await redrive({ ...order, filter: { ...order.filter, leadIds }, count: 2 });
    await ended(redriveId);
    const trailOf = async (query: string) => (await gateway.get(`/api/audit?${query}`)).body.entries as Record<string, unknown>[];
    const ofLeads = async () => Promise.all(leadIds.map(async (leadId) => (await trailOf(`action=redrive&leadId=${leadId}`))[0]?.evidence));
    const ofOrder = async () => (await trailOf('action=redrive-many')).find((entry) => entry.redriveId === redriveId)?.evidence;
    const changed = { instanceName: { before: 'erg-oct.key-404', after: 'erg-oct' } };
    expect(await ofLeads()).toEqual([
      { reason, changed },
      { reason, changed },
    ]);
    expect(await ofOrder()).toEqual({ reason, changed: { instanceName: { after: 'erg-oct' } } });
    await eraseUntilDone(gateway, { email: leads[0]?.email });
    expect([await ofLeads(), await ofOrder()]).toEqual([[{ erased: true }, { reason, changed }], { erased: true }]);
  });

  it('has a report in pages, and is in the list of redrives', async () => {
    const { order } = await failedLeads(3);
    const redriveId = await redrive({ ...order, count: 3, ratePerS: 50 });
    const whole = await ended(redriveId);
    expect(await gateway.post(`/api/redrives/${redriveId}/stop`, { reason })).toMatchObject({
      status: 409,
      body: { error: { code: 'WRONG_STATE' } },
    });
    const first = await read(redriveId, '?limit=2');
    expect(first.results).toHaveLength(2);
    const second = await read(redriveId, `?limit=2&cursor=${first.nextCursor}`);
    const ids = [...first.results, ...second.results].map(({ leadId }: { leadId: string }) => leadId);
    expect([ids, second.nextCursor]).toEqual([whole.results.map(({ leadId }: { leadId: string }) => leadId), undefined]);
    await until(async () => {
      const { body } = await gateway.get('/api/redrives');
      const mine = body.redrives.find((one: { redriveId: string }) => one.redriveId === redriveId);
      return mine?.state === 'done' && mine.done === 3;
    }, 'the list knows how it ended');
  });

  it('starts the leads one after the other at the set rate', async () => {
    const { order } = await failedLeads(4);
    const redriveId = await redrive({ ...order, count: 4 });
    const { results } = await ended(redriveId);
    const runs = await Promise.all(
      results.map(({ leadId }: { leadId: string }) => gateway.client.workflow.getHandle(attemptIdOf(leadId, 2)).describe()),
    );
    const startedAt = runs.map(({ startTime }) => startTime.getTime());
    expect(startedAt.toSorted((one, other) => one - other)).toEqual(startedAt);
    const { runId } = await gateway.client.workflow.getHandle(`bulk-${redriveId}`).describe();
    const { activities } = await readHistory(gateway.client, { workflowId: `bulk-${redriveId}`, runId });
    // Five a second is one every 200 ms: a turn of its own for each, so that a stop is heard between any two. A turn may be repeated.
    const turns = activities.flatMap(({ args = [] }) => (args as BulkBatch[]).map(({ leadIds }) => String(leadIds)));
    expect([...new Set(turns)]).toEqual(results.map(({ leadId }: { leadId: string }) => leadId));
  });

  it('leaves the remaining leads failed after a stop, and a second stop has the same answer', async () => {
    const { leads, leadIds, protocol } = await failedLeads(2);
    const [first = '', last = ''] = leadIds;
    const order = [first, ...unknownLeads(100), last];
    const redriveId = await beginOrder(gateway, { verb: 'redrive', leadIds: order, reason, fields: mended, ratePerS: 1 });
    await until(async () => (await read(redriveId)).done > 0, 'the first lead is started');
    expect((await gateway.post(`/api/redrives/${redriveId}/stop`, {})).status).toBe(400);
    const stopped = await stoppedOrder(gateway, `/api/redrives/${redriveId}`, reason);
    expect(stopped).toMatchObject({ status: 200, body: { success: true, redriveId, state: 'stopped' } });
    const { done, remaining, state } = await ended(redriveId);
    expect([state, done + remaining]).toEqual(['stopped', order.length]);
    expect(remaining).toBeGreaterThan(0);
    expect((await gateway.get(`/api/leads/${first}?wait=60`)).body.state).toBe('delivered');
    expect(await listed({ protocol, state: 'failed' })).toMatchObject([{ leadId: last }]);
    expect(await sendsOf(leads)).toEqual([1, 0]);
    expect(await gateway.post(`/api/redrives/${redriveId}/stop`, { reason })).toMatchObject({ status: 200, body: stopped.body });
  });

  it('continues on another worker, and loses or doubles no lead', async () => {
    const other = await startGateway({ withoutWorker: true });
    try {
      const stopFirst = await other.startWorker();
      const protocol = `P-${randomUUID()}`;
      const leads = Array.from({ length: 8 }, () => newLead('', { protocol, instanceName: 'erg-oct.key-404' }));
      await Promise.all(leads.map((lead) => other.post(noPrescreen, lead)));
      const order = { filter: { protocol }, reason, fields: mended, ratePerS: 4 };
      await until(async () => (await other.post('/api/redrives', order)).body.count === 8, 'all are counted');
      const { body } = await other.post('/api/redrives', { ...order, count: 8 });
      const report = async () => (await other.get(body.statusUrl)).body;
      await until(async () => (await report()).done >= 2, 'two are started');
      await stopFirst();
      await other.startWorker();
      const { state, done, failedToStart } = await endedOrder(other, body.statusUrl);
      expect([state, done, failedToStart]).toEqual(['done', 8, 0]);
      await until(async () => (await report()).results.every((one: { state: string }) => one.state === 'delivered'), 'all are delivered');
      expect(await sendsOf(leads, other)).toEqual(ones(8));
    } finally {
      await other.stop();
    }
  });

  it('attaches a repeat with the same Idempotency-Key, also after its end, and refuses another body', async () => {
    const { order, leads } = await failedLeads(2);
    const key = { 'idempotency-key': `k-${randomUUID()}` };
    expect((await gateway.post('/api/redrives', order, key)).body.count).toBe(2);
    const redriveId = await redrive({ ...order, count: 2 }, key);
    const again = await gateway.post('/api/redrives', { ...order, count: 2 }, key);
    expect([again.status, again.body.redriveId, again.headers.get('idempotency-replayed')]).toEqual([202, redriveId, 'true']);
    await ended(redriveId);
    expect((await gateway.post('/api/redrives', { ...order, count: 2 }, key)).body).toMatchObject({ redriveId, state: 'done' });
    expect(await gateway.post('/api/redrives', { ...order, count: 3 }, key)).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    await until(async () => (await sendsOf(leads)).every((each) => each === 1), 'each is sent once');
  });

  it('reports why it could not start a lead, and does not change that lead', async () => {
    const { leadIds, protocol } = await failedLeads(3);
    const mine = leadIds.at(-1) ?? '';
    // A person is faster.
    expect((await gateway.post(`/api/leads/${mine}/redrive`, { reason, fields: mended })).status).toBe(200);
    const redriveId = await beginOrder(gateway, { verb: 'redrive', leadIds, reason, fields: { dob: 'x' }, ratePerS: 50 });
    const { results, failedToStart } = await ended(redriveId);
    expect(failedToStart).toBe(3);
    const refused = { outcome: 'invalid', code: 'VALIDATION_ERROR', message: expect.stringContaining('dob'), state: 'failed' };
    expect(results).toMatchObject([refused, refused, { leadId: mine, outcome: 'wrong-state' }]);
    const { outcome, code, message } = refused;
    expect((await read(redriveId, '?outcome=invalid')).results).toMatchObject([refused, refused]);
    expect((await read(redriveId)).reasons[0]).toEqual({ outcome, code, message, count: 2 });
    expect(await listed({ protocol, state: 'failed' })).toHaveLength(2);
  });

  it('continues as new if it is long', async () => {
    const leadIds = unknownLeads(620);
    const redriveId = await beginOrder(gateway, { verb: 'redrive', leadIds, reason, ratePerS: 1000 });
    const handle = gateway.client.workflow.getHandle(`bulk-${redriveId}`);
    expect(await handle.result()).toMatchObject({ state: 'done', done: 620, refused: 620 });
    const report = await read(redriveId, '?limit=500&cursor=120');
    expect(report.results.map(({ leadId }: { leadId: string }) => leadId)).toEqual(leadIds.slice(120));
    expect(report.results[499]).toEqual({ leadId: 'none-619', outcome: 'not-found', code: 'NOT_FOUND', message: expect.any(String) });
    const newest = await handle.describe();
    expect(newest.raw.workflowExecutionInfo?.firstRunId).toMatch(/-/);
    expect(newest.runId).not.toBe(newest.raw.workflowExecutionInfo?.firstRunId);
    expect(newest.memo?.bulk).toMatchObject({ state: 'done', done: 620, count: 620 });
  });
});

describe('a start whose call was interrupted', () => {
  const oneLead = async () => unknownLeads(1);
  const order = { filter: {}, reason, count: 1 };
  const start = (...calls: readonly StartCall[]) => {
    const client = withFailingStarts(gateway.client, ...calls);
    const orders = createBulkOrders(redriveKind, client, gateway.config, gateway.keys, oneLead, createSearch(client));
    return orders.start({ given: order, body: order }, undefined, {});
  };

  it.each([
    ['is found if the engine did it', () => [startedWithoutAnswer]],
    ['is repeated if the engine did nothing', () => [lost]],
    ['is no second order if the engine did it late', startedLate],
  ])('%s', async (_, calls) => {
    const { status, body, headers } = await start(...calls());
    expect([status, headers?.['Idempotency-Replayed']]).toEqual([202, undefined]);
    expect(await ended(String(body.redriveId))).toMatchObject({ state: 'done', done: 1 });
  });

  it('is unknown if the repeat is interrupted, too', async () => {
    const unknown = { code: 'OUTCOME_UNKNOWN', extras: { errorContext: { redriveId: expect.stringMatching(/^r/) } } };
    await expect(start(lost, lost)).rejects.toMatchObject(unknown);
    await expect(start(lost, refused)).rejects.toMatchObject(unknown);
  });

  it('did not happen if the engine rejects it', async () => {
    await expect(start(refused)).rejects.toMatchObject({ code: 'NOT_ACCEPTED' });
  });
});

describe('a redrive of one lead', () => {
  it('starts once, even if a worker dies and another repeats it', async () => {
    const { leadIds, leads } = await failedLeads(1);
    const again = carryBatchOf(gateway);
    const order = {
      verb: 'redrive',
      leadIds,
      pauseMs: 1,
      reason,
      fields: mended,
      orderId: 'one',
      startedAt: new Date().toISOString(),
    } as const;
    expect(await carryBatchOf(gateway, { limits: { OPEN_LEADS_MAX: 0 } })({ ...order, orderId: 'where there is no room' })).toEqual([]);
    expect(await Promise.all([again(order), again(order)])).toEqual([[{ outcome: 'started' }], [{ outcome: 'started' }]]);
    expect(await again({ ...order, orderId: 'another' })).toMatchObject([{ outcome: 'wrong-state', code: 'WRONG_STATE' }]);
    expect((await gateway.get(`/api/leads/${leadIds[0]}?wait=60`)).body.state).toBe('delivered');
    expect(await again(order)).toEqual([{ outcome: 'started' }]);
    expect(await sendsOf(leads)).toEqual([1]);
  });

  it('that fails again is listed once, as failed, and can be redriven', async () => {
    const { leadIds, protocol } = await failedLeads(1);
    const [leadId] = leadIds;
    await gateway.post(`/api/leads/${leadId}/redrive`, { reason });
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('failed');
    expect(await listed({ protocol })).toMatchObject([{ leadId, state: 'failed' }]);
    expect(await listed({ protocol, state: 'failed' })).toMatchObject([{ leadId, state: 'failed' }]);
    const redriveId = await redrive({ filter: { protocol }, reason, fields: mended, count: 1 });
    expect((await ended(redriveId)).failedToStart).toBe(0);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  });

  it.each([
    [{ reason }, 'filter'],
    [{ filter: { sites: 'x' }, reason }, 'filter.sites'],
    [{ filter: { state: 'parked' }, reason }, 'filter.state'],
    [{ filter: {} }, 'reason'],
    [{ filter: {}, reason, ratePerS: 51 }, 'ratePerS'],
    [{ filter: {}, reason, ratePerS: 0 }, 'ratePerS'],
    [{ filter: {}, reason, fields: [] }, 'fields'],
  ])('is refused as %j', async (body, field) =>
    expect(await gateway.post('/api/redrives', body)).toMatchObject({ status: 400, body: { error: { details: [{ field }] } } }),
  );

  it('needs no fields', async () => {
    const order = { filter: { protocol: `P-${randomUUID()}` }, reason, fields: null };
    expect(await gateway.post('/api/redrives', order)).toMatchObject({ status: 200, body: { count: 0 } });
  });

  it.each(['x', `r${'0'.repeat(20)}`])('is not found as %s', async (id) => {
    expect((await gateway.get(`/api/redrives/${id}`)).status).toBe(404);
    expect((await gateway.post(`/api/redrives/${id}/stop`, { reason })).status).toBe(404);
  });
});
