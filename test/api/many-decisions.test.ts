/** One decision for many parked leads: counted first, carried out one by one, on the audit trail, stopped and gone on with. */
import { randomUUID } from 'node:crypto';
import type { BulkEntry } from '../../src/orders/bulk';
import { beginOrder, carryBatchOf, endedOrder, stoppedOrder, unknownLeads } from '../support/carry-batch';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

/** An answer tells what became of a lead, however busy the machine is. */
const settings = { SYNC_WAIT_MS: '60000' };
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings });
});
afterAll(() => gateway.stop());

const reason = 'looked: none of them is there';
const begunAt = new Date().toISOString();
const code = 'UPSTREAM_REJECTED';

/** Leads of a protocol of their own that are parked at their comment, as soon as an order would count them. */
async function parkedLeads(count: number, sentinel = 'comment-422', at: Gateway = gateway) {
  const protocol = `P-${randomUUID()}`;
  const leads = Array.from({ length: count }, () => newLead(sentinel, { protocol }));
  const answers = await Promise.all(leads.map((lead) => at.post('/api/clinicsys/no-prescreen', lead)));
  expect(answers.map(({ body }) => body.state ?? body)).toEqual(answers.map(() => 'parked'));
  const filter = { protocol, code, upstream: 'V2' };
  const counted = async () => (await at.post('/api/decisions', { filter, verb: 'discard', reason })).body.count;
  await until(async () => (await counted()) === count, 'all parked leads are counted');
  return { protocol, leadIds: answers.map(({ body }) => String(body.leadId)), filter };
}

const decide = async (order: object, headers = {}, { post }: Pick<Gateway, 'post'> = gateway) => {
  const { status, body } = await post('/api/decisions', order, headers);
  expect([status, body.state]).toEqual([202, 'running']);
  return String(body.decisionId);
};
const read = async (decisionId: string, query = '', { get }: Pick<Gateway, 'get'> = gateway) =>
  (await get(`/api/decisions/${decisionId}${query}`)).body;
const ended = (decisionId: string, at: Gateway = gateway) => endedOrder(at, `/api/decisions/${decisionId}`);
const idsIn = async (state: string, protocol: string) =>
  (await gateway.get(`/api/leads?${new URLSearchParams({ state, protocol }).toString()}`)).body.leads
    .map(({ leadId }: { leadId: string }) => leadId)
    .toSorted();
/** Waits until these leads are listed in this state: lists show the effect of an order a moment later. */
const areListed = (leadIds: readonly string[], state: string, protocol: string) =>
  until(async () => String(await idsIn(state, protocol)) === String(leadIds.toSorted()), `${leadIds.length} are listed as ${state}`);

describe('one decision for many parked leads', () => {
  it('counts the leads first, rejects another count, then discards each and records it on the audit trail', async () => {
    const { filter, leadIds, protocol } = await parkedLeads(3);
    const order = { filter, verb: 'discard', reason };
    const counted = await gateway.post('/api/decisions', order);
    expect(counted).toMatchObject({ status: 200, body: { success: true, count: 3 } });
    expect(counted.body.sample.toSorted()).toEqual(leadIds.toSorted());
    expect(await gateway.post('/api/decisions', { ...order, count: 2 })).toMatchObject({
      status: 409,
      body: { count: 3, error: { code: 'WRONG_STATE' } },
    });
    expect(await idsIn('parked', protocol)).toEqual(leadIds.toSorted());

    const decisionId = await decide({ ...order, count: 3, ratePerS: 50 });
    const numbers = { count: 3, done: 3, notDecided: 0, remaining: 0, ratePerS: 50 };
    const report = await ended(decisionId);
    expect(report).toMatchObject({ decisionId, verb: 'discard', state: 'done', ...numbers, reasons: [{ outcome: 'decided', count: 3 }] });
    await areListed(leadIds, 'discarded', protocol);

    const entries = await Promise.all(leadIds.map(async (leadId) => (await gateway.get(`/api/audit?leadId=${leadId}`)).body.entries));
    const evidence = { reason: order.reason, changed: { state: { before: 'parked', after: 'discarded' } } };
    for (const [at, found] of entries.entries())
      expect(found).toMatchObject([
        { who: 'local', action: 'discard', outcome: 'decided', leadId: leadIds[at], order: decisionId, evidence },
      ]);
    const mine = await until(async () => {
      const { decisions } = (await gateway.get('/api/decisions')).body;
      return decisions.find((one: { decisionId: string }) => one.decisionId === decisionId);
    }, 'the decision is listed');
    expect(mine).toMatchObject({ verb: 'discard', count: 3 });
    expect((await gateway.get('/api/redrives')).body.redrives).toEqual([]);
  });

  it('resends each lead and stores the reason with it', async () => {
    const { filter, leadIds, protocol } = await parkedLeads(2, 'comment-422-once');
    const decisionId = await decide({ filter, verb: 'resend', reason, count: 2 });
    expect((await ended(decisionId)).notDecided).toBe(0);
    await areListed(leadIds, 'delivered', protocol);
    const { decisions } = (await gateway.get(`/api/leads/${leadIds[0]}/exchanges`)).body;
    expect(decisions).toMatchObject([{ verb: 'resend', reason }]);
  });

  it('applies only to named leads that the filter matches', async () => {
    const { filter, leadIds, protocol } = await parkedLeads(3);
    const other = await parkedLeads(1);
    const [first = '', second = '', third] = leadIds;
    const order = { filter: { ...filter, leadIds: [first, second, ...other.leadIds] }, verb: 'discard', reason };
    expect((await gateway.post('/api/decisions', order)).body.count).toBe(2);
    await ended(await decide({ ...order, count: 2, ratePerS: 50 }));
    await areListed([first, second], 'discarded', protocol);
    expect(await idsIn('parked', protocol)).toEqual([third]);
  });

  it('leaves the remaining leads parked after a stop', async () => {
    const { leadIds, protocol } = await parkedLeads(2);
    const [first = '', last = ''] = leadIds;
    const order = [first, ...unknownLeads(100), last];
    const decisionId = await beginOrder(gateway, { verb: 'discard', leadIds: order, reason, ratePerS: 1 });
    await until(async () => (await read(decisionId)).done > 0, 'the first lead is decided');
    const stopped = await stoppedOrder(gateway, `/api/decisions/${decisionId}`, reason);
    expect(stopped).toMatchObject({ status: 200, body: { state: 'stopped' } });
    const { done, remaining } = await ended(decisionId);
    expect(remaining).toBeGreaterThan(0);
    expect(done + remaining).toBe(order.length);
    await areListed([first], 'discarded', protocol);
    expect(await idsIn('parked', protocol)).toEqual([last]);
  });

  it('continues on another worker and decides about no lead twice', async () => {
    const other = await startGateway({ settings, withoutWorker: true });
    try {
      const stopFirst = await other.startWorker();
      const { filter, leadIds } = await parkedLeads(5, 'comment-422', other);
      const decisionId = await decide({ filter, verb: 'discard', reason, count: 5, ratePerS: 4 }, {}, other);
      await until(async () => (await read(decisionId, '', other)).done >= 2, 'two are decided');
      await stopFirst();
      await other.startWorker();
      expect(await ended(decisionId, other)).toMatchObject({ state: 'done', done: 5, notDecided: 0 });
      for (const leadId of leadIds)
        expect((await other.get(`/api/leads/${leadId}/exchanges`)).body.decisions).toMatchObject([{ verb: 'discard', reason }]);
    } finally {
      await other.stop();
    }
  });

  it('reports why it could not decide about a lead, and can return only those leads', async () => {
    const { leadIds } = await parkedLeads(3);
    const last = leadIds.at(-1) ?? '';
    expect((await gateway.post(`/api/leads/${last}/discard`, { reason: 'a person was faster' })).status).toBe(200);
    const decisionId = await beginOrder(gateway, { verb: 'discard', leadIds, reason, ratePerS: 50 });
    expect(await ended(decisionId)).toMatchObject({ done: 3, notDecided: 1 });
    const { results, reasons, nextCursor } = await read(decisionId, '?outcome=wrong-state');
    const why = { outcome: 'wrong-state', code: 'WRONG_STATE', message: expect.stringContaining('nor is parked') };
    expect([results, nextCursor]).toEqual([[{ leadId: last, ...why, state: 'discarded' }], undefined]);
    expect(reasons).toEqual([
      { outcome: 'decided', count: 2 },
      { ...why, count: 1 },
    ]);
    const page = await read(decisionId, '?outcome=decided&limit=1');
    const next = await read(decisionId, `?outcome=decided&limit=1&cursor=${page.nextCursor}`);
    expect([page.results.length, next.results.length, next.nextCursor]).toEqual([1, 1, undefined]);
  });

  it('attaches a repeat with the same Idempotency-Key', async () => {
    const { filter } = await parkedLeads(1);
    const key = { 'idempotency-key': `k-${randomUUID()}` };
    const order = { filter, verb: 'discard', reason, count: 1 };
    const decisionId = await decide(order, key);
    await ended(decisionId);
    const again = await gateway.post('/api/decisions', order, key);
    expect([again.body.decisionId, again.headers.get('idempotency-replayed')]).toEqual([decisionId, 'true']);
  });

  it('is carried out once, even if a worker dies and another repeats it', async () => {
    const { leadIds } = await parkedLeads(1, 'comment-422-once');
    const entries: BulkEntry[] = [];
    const carryBatch = carryBatchOf(gateway, { record: async (entry) => entries.push(entry) });
    const order = { verb: 'resend', leadIds, pauseMs: 1, reason, orderId: 'one', startedAt: begunAt } as const;
    expect(await carryBatch(order)).toEqual([{ outcome: 'decided' }]);
    expect((await gateway.get(`/api/leads/${leadIds[0]}?wait=60`)).body.state).toBe('delivered');
    expect(await carryBatch(order)).toEqual([{ outcome: 'decided' }]);
    expect(await carryBatch({ ...order, orderId: 'another' })).toMatchObject([{ outcome: 'wrong-state' }]);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['decided', 'decided', 'wrong-state']);
  });

  it('pauses while the audit trail cannot be written', async () => {
    const { leadIds } = await parkedLeads(2);
    const entries: BulkEntry[] = [];
    let isFull = true;
    const record = async (entry: BulkEntry) => {
      if (isFull) throw new Error('the disk is full');
      entries.push(entry);
    };
    const order = { verb: 'discard', leadIds, pauseMs: 1, reason, orderId: 'one', startedAt: begunAt } as const;
    // The order waits: no lead of this batch counts as done.
    expect(await carryBatchOf(gateway, { record })(order)).toEqual([]);
    expect((await gateway.get(`/api/leads/${leadIds[1]}`)).body.state).toBe('parked');
    isFull = false;
    expect(await carryBatchOf(gateway, { record })(order)).toEqual([{ outcome: 'decided' }, { outcome: 'decided' }]);
    expect(entries.map(({ leadId, outcome }) => [leadId, outcome])).toEqual(leadIds.map((leadId) => [leadId, 'decided']));
  });

  it.each([
    [{ verb: 'discard', reason }, 'filter'],
    [{ filter: {}, reason }, 'verb'],
    [{ filter: {}, verb: 'confirm', reason }, 'verb'],
    [{ filter: {}, verb: 'discard' }, 'reason'],
    [{ filter: { state: 'failed' }, verb: 'discard', reason }, 'filter.state'],
    [{ filter: { upstreams: 'V2' }, verb: 'discard', reason }, 'filter.upstreams'],
    [{ filter: { leadIds: [] }, verb: 'discard', reason }, 'filter.leadIds'],
  ])('is refused as %j', async (body, field) =>
    expect(await gateway.post('/api/decisions', body)).toMatchObject({ status: 400, body: { error: { details: [{ field }] } } }),
  );

  it('is not found under the id of a redrive', async () => {
    expect((await gateway.get(`/api/decisions/r${'0'.repeat(20)}`)).status).toBe(404);
    expect((await gateway.post(`/api/decisions/d${'0'.repeat(20)}/stop`, { reason })).status).toBe(404);
  });
});
