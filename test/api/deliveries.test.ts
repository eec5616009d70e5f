/** Deliveries of events over all leads: listed with their filters, and those that failed sent again, one by one or all since a moment. */
import { outboxIdOf, type EventType } from '../../src/domain/events';
import { leadgate } from '../cli/support';
import { carryBatchOf, endedOrder } from '../support/carry-batch';
import { giveUpEvents } from '../support/given-up';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const settings = { EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`, EVENTS_HOSTS: '127.0.0.1' };
let gateway: Gateway;
let receiver: Upstream;
beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({ settings });
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.close();
});
/** The receiver is down, or back. */
const down = () => receiver.answerAlways({ status: 503, body: {}, headers: { 'retry-after': '3000' } });
const up = () => receiver.answerAlways({ body: {} });
beforeEach(up);

const reason = 'The receiver was down';

const send = async (headers = {}, lead: object = newLead()) =>
  String((await gateway.post('/api/clinicsys/no-prescreen', lead, headers)).headers.get('x-lead-id'));
const sendWithCallback = (lead?: object) => send({ 'x-callback-url': `${receiver.url}/hook` }, lead);

async function leadGivenUp({ leadId = '', ...given }: { leadId?: string; at?: string; types?: EventType[] } = {}): Promise<string> {
  const id = leadId || (await send());
  await giveUpEvents(gateway, receiver, id, given);
  return id;
}

interface Listed {
  readonly leadId: string;
  readonly eventId: string;
  readonly type: string;
  readonly state: string;
}

const list = async (query: Record<string, string> = {}) => (await gateway.get(`/api/events?${new URLSearchParams(query).toString()}`)).body;
const listed = async (query: Record<string, string> = {}): Promise<Listed[]> => (await list(query)).deliveries;
const typesIn = (deliveries: readonly Listed[]) => deliveries.map(({ leadId, type }) => `${leadId} ${type}`);
/** Until the index shows what the worker has given up. */
const untilListed = (leadIds: readonly string[], query: Record<string, string>) =>
  untilHolds(async () => {
    const found = new Set((await listed(query)).map(({ leadId }) => leadId));
    expect(leadIds.filter((id) => !found.has(id))).toEqual([]);
  }, 'all of them are listed');
const idsTold = (leadId: string) =>
  receiver.received.filter(({ body }) => body.data.leadId === leadId).map(({ headers }) => String(headers['webhook-id']));
const resend = (body: object, headers = {}) => gateway.post('/api/events/resends', body, headers);
/** A moment before now, and no event of another test is from it. */
let years = 2001;
const ownMoment = () => `${years++}-02-03T04:05:06.000Z`;
const from = (at: string) => ({ since: at, until: at });

describe('the list of deliveries', () => {
  it('has those of all leads, the newest first, and tells neither a person nor an address', async () => {
    const at = ownMoment();
    const [first, second] = [await leadGivenUp({ at }), await leadGivenUp({ at })];
    await untilListed([first, second], { state: 'given-up', ...from(at) });
    const deliveries = await listed(from(at));
    const inOrder = [second, first].flatMap((id) => [`${id} lead.delivered`, `${id} lead.accepted`]);
    expect(typesIn(deliveries)).toEqual(inOrder);
    expect(deliveries[0]).toEqual({
      ...{ eventId: `${second}-1-2-delivered`, type: 'lead.delivered', timestamp: at, leadId: second, attempt: 1 },
      ...{ receiver: 'callback', state: 'given-up', tries: 1, answer: 'answered 503', endedAt: expect.any(String) },
    });
    const pages: Listed[][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await list({ ...from(at), limit: '3', ...(cursor && { cursor }) });
      expect(page.count).toBe(page.deliveries.length);
      pages.push(page.deliveries);
      cursor = page.nextCursor;
    }
    expect(pages.map(typesIn)).toEqual([inOrder.slice(0, 3), inOrder.slice(3)]);
    expect(JSON.stringify(pages)).not.toMatch(/hook|secret|@/);
  });

  it('is narrowed by state, type, receiver, lead and time of the event', async () => {
    const at = ownMoment();
    const failed = await leadGivenUp({ at });
    const told = await sendWithCallback();
    await until(() => idsTold(told).length === 2, 'both events arrive');
    down();
    const waiting = await sendWithCallback();
    const waits = { leadId: waiting, type: 'lead.accepted', state: 'waiting', answer: 'answered 503' };
    await untilHolds(async () => expect(await listed({ state: 'waiting' })).toContainEqual(expect.objectContaining(waits)), 'it waits');
    await untilListed([failed], { state: 'given-up' });
    await untilListed([told], { state: 'told', type: 'lead.delivered', receiver: 'callback' });

    for (const state of ['waiting', 'told', 'given-up']) expect((await listed({ state })).filter((one) => one.state !== state)).toEqual([]);
    expect(typesIn(await listed({ leadId: failed, type: 'lead.accepted' }))).toEqual([`${failed} lead.accepted`]);
    expect(await listed({ leadId: failed, receiver: 'webhook' })).toEqual([]);
    expect(await listed({ leadId: failed, since: new Date(Date.parse(at) + 1).toISOString() })).toEqual([]);
    expect(await listed({ leadId: failed, until: new Date(Date.parse(at) - 1).toISOString() })).toEqual([]);
    expect(await list({ leadId: failed, limit: '1' })).toMatchObject({ count: 1, nextCursor: expect.any(String) });
    expect((await listed({ since: new Date(Date.parse(at) + 1).toISOString() })).map(({ leadId }) => leadId)).not.toContain(failed);
  });

  it.each([
    ['state', 'lost'],
    ['type', 'lead.sent'],
    ['receiver', 'everybody'],
    ['since', 'now'],
    ['limit', '0'],
    ['cursor', 'x'],
    ['email', 'a@b.example'],
  ])('refuses %s=%s', async (field, value) => {
    const { status, body } = await gateway.get(`/api/events?${new URLSearchParams({ [field]: value }).toString()}`);
    expect([status, body.error.details[0].field]).toEqual([400, field]);
  });

  it('forgets a lead with its erasure', async () => {
    const lead = newLead();
    const leadId = await leadGivenUp({ leadId: await send({}, lead) });
    await untilListed([leadId], { state: 'given-up' });
    const erase = () => gateway.post('/api/erase', { email: lead.email, reason: 'a test' });
    await until(async () => (await erase()).status === 200, 'it is erased');
    expect((await listed({ state: 'given-up' })).map(({ leadId: id }) => id)).not.toContain(leadId);
    expect(await listed({ leadId })).toEqual([]);
  });
});

describe('a resend of one event', () => {
  const again = (leadId: string, end: string, body = {}) => gateway.post(`/api/leads/${leadId}/events/${leadId}-1-${end}/resend`, body);

  it('posts this event with its webhook-id, no other of its lead, and is in the next list', async () => {
    const at = ownMoment();
    const leadId = await leadGivenUp({ at });
    const before = idsTold(leadId).length;
    const eventId = `${leadId}-1-1-accepted`;
    expect(await again(leadId, '1-accepted')).toMatchObject({ status: 200, body: { success: true, leadId, eventId } });
    const states = async () => (await listed(from(at))).map(({ state }) => state);
    expect(['waiting', 'told']).toContain((await states())[1]);
    await untilHolds(async () => expect(await states()).toEqual(['given-up', 'told']), 'only this one is told');
    expect(idsTold(leadId).slice(before)).toEqual([eventId]);
    const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`)).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'send-event-again', outcome: 'done', leadId, eventId }));
  });

  it('tries an event now that waits for its next try, and keeps the order', async () => {
    down();
    const leadId = await sendWithCallback();
    await untilHolds(async () => expect((await listed({ leadId })).at(-1)).toMatchObject({ state: 'waiting', tries: 1 }), 'it waits');
    await until(async () => (await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state === 'delivered', 'the lead ends');
    await until(async () => (await listed({ leadId })).length === 2, 'the last event is queued');
    up();
    const before = idsTold(leadId).length;
    expect((await again(leadId, '1-accepted')).status).toBe(200);
    await until(() => idsTold(leadId).length === before + 2, 'both arrive');
    expect(idsTold(leadId).slice(before)).toEqual([`${leadId}-1-1-accepted`, `${leadId}-1-2-delivered`]);
  });

  it('is refused for an unknown event or receiver, and for a lead without events', async () => {
    const leadId = await leadGivenUp();
    expect((await again(leadId, '9-none')).body.error.code).toBe('NOT_FOUND');
    expect((await again(leadId, '1-accepted', { receiver: 'webhook' })).body.error.code).toBe('WRONG_STATE');
    expect((await again(await send(), '1-accepted')).body.error.code).toBe('WRONG_STATE');
  });
});

describe('a resend of all that failed', () => {
  it('counts the leads first, then posts what was given up since the moment, once, and reports it', async () => {
    const at = ownMoment();
    const later = new Date(Date.parse(at) + 1000).toISOString();
    const early = await leadGivenUp({ at });
    const late = [await leadGivenUp({ at: later }), await leadGivenUp({ at: later, types: ['lead.failed'] })];
    const filter = { since: later, until: later };
    await untilListed(late, { state: 'given-up', ...filter });
    const counted = await resend({ filter, reason });
    expect(counted).toMatchObject({ status: 200, body: { success: true, count: 2 } });
    expect(counted.body.sample).toEqual(late);
    expect(await resend({ filter, reason, count: 3 })).toMatchObject({ status: 409, body: { count: 2, error: { code: 'WRONG_STATE' } } });
    const before = late.map((id) => idsTold(id).length);

    const order = { filter, reason, count: 2, ratePerS: 50 };
    const key = { 'idempotency-key': `resend-${at}` };
    const started = await resend(order, key);
    expect(started).toMatchObject({ status: 202, body: { state: 'running', count: 2 } });
    const { resendId } = started.body;
    expect((await resend(order, key)).body.resendId).toBe(resendId);
    const report = await endedOrder(gateway, `/api/events/resends/${resendId}`);
    expect(report).toMatchObject({ state: 'done', done: 2, notResent: 0, reasons: [{ outcome: 'resent', count: 2 }] });
    await untilHolds(async () => expect((await listed({ state: 'told', ...filter })).length).toBe(3), 'all three arrive');
    expect(late.map((id, nth) => idsTold(id).length - before[nth]!)).toEqual([2, 1]);
    expect(await listed({ state: 'given-up', ...filter })).toEqual([]);
    expect(typesIn(await listed({ state: 'given-up', ...from(at) }))).toEqual([`${early} lead.delivered`, `${early} lead.accepted`]);
    const { entries } = (await gateway.get(`/api/audit?leadId=${late[0]}`)).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'resend-events', outcome: 'resent', order: resendId }));
    await untilHolds(async () => {
      const { resends } = (await gateway.get('/api/events/resends')).body;
      expect(resends).toContainEqual(expect.objectContaining({ resendId, state: 'done', count: 2 }));
    }, 'it is listed');
    expect(await gateway.post(`/api/events/resends/${resendId}/stop`, { reason })).toMatchObject({ status: 409 });
  });

  it('posts once, even if a worker dies and another repeats it', async () => {
    const at = ownMoment();
    const leadId = await leadGivenUp({ at, types: ['lead.failed'] });
    const before = idsTold(leadId).length;
    const carry = carryBatchOf(gateway);
    const order = { verb: 'resend-events', leadIds: [leadId], pauseMs: 1, reason, startedAt: new Date().toISOString() } as const;
    const deliveries = { state: 'given-up', ...from(at) } as const;
    expect(await carry({ ...order, deliveries, orderId: 'one' })).toEqual([{ outcome: 'resent' }]);
    await until(() => idsTold(leadId).length === before + 1, 'it arrives');
    expect(await carry({ ...order, deliveries, orderId: 'one' })).toEqual([{ outcome: 'resent' }]);
    expect(await carry({ ...order, deliveries, orderId: 'two' })).toMatchObject([{ outcome: 'wrong-state' }]);
    expect(await carry({ ...order, deliveries, leadIds: ['none'], orderId: 'one' })).toMatchObject([{ outcome: 'not-found' }]);
    expect(idsTold(leadId)).toHaveLength(before + 1);
  });

  it.each([
    [{ reason }, 'filter'],
    [{ filter: {} }, 'reason'],
    [{ filter: { state: 'told' }, reason }, 'filter.state'],
    [{ filter: { email: 'a@b.example' }, reason }, 'filter.email'],
  ])('is refused as %j', async (body, field) => {
    const refused = await resend(body);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([400, field]);
  });
});

it('a lead with a given-up delivery is found from the start of its next outbox, before that runs', async () => {
  const leadId = await leadGivenUp({ at: ownMoment(), types: ['lead.accepted', 'lead.failed'] });
  const before = idsTold(leadId).length;
  expect((await gateway.post(`/api/leads/${leadId}/events/${leadId}-1-1-accepted/resend`, {})).status).toBe(200);
  await until(() => idsTold(leadId).length > before, 'it arrives');
  const { events } = await gateway.client.workflow.getHandle(outboxIdOf(leadId)).fetchHistory();
  const { searchAttributes } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  expect(Object.keys(searchAttributes?.indexedFields ?? {})).toContain('LeadCode');
});

describe('the command line', () => {
  const here = (...argv: string[]) => leadgate(argv, { settings: { LEADGATE_URL: gateway.url } });

  it('lists deliveries, and sends one event again, or all that failed', async () => {
    const at = ownMoment();
    const leadIds = [await leadGivenUp({ at }), await leadGivenUp({ at, types: ['lead.failed'] })];
    await untilListed(leadIds, { state: 'given-up', ...from(at) });
    const failed = ['--since', at, '--until', at];
    const list = await here('events', 'list', '--state', 'given-up', ...failed, '--limit', '2');
    expect(list.out.split('\n')[0]).toMatch(
      new RegExp(`^2\\S+ 04:05:06Z  ${leadIds[1]}-1-1-failed +lead.failed +callback  given-up  1 try  answered 503$`),
    );
    expect([list.out.trim().split('\n').length, list.err]).toEqual([2, '2 shown; for more: --limit\n']);
    const [first = ''] = leadIds;
    const before = idsTold(first).length;
    const again = await here('lead', 'events', first, '--event', `${first}-1-2-delivered`);
    expect(again.out).toBe(`Sending ${first}-1-2-delivered again\n`);
    await until(() => idsTold(first).length > before, 'it arrives');
    const counted = await here('events', 'resend', ...failed, '--reason', reason);
    expect(counted.out).toBe('2 leads; to start, add --expect 2\n');
    const resent = await here('events', 'resend', ...failed, '--reason', reason, '--expect', '2');
    expect(resent).toMatchObject({ status: 0, out: expect.stringMatching(/^done: 2 of 2, 0 remaining\n2 +resent\n$/) });
    const [, id = ''] = /^Order (\S+);/.exec(resent.err) ?? [];
    expect(await here('leads', 'report', id)).toMatchObject({ status: 0, out: resent.out });
  });
});
