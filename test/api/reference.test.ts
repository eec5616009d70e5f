/** The reference of a lead, the Idempotency-Key that it was sent with: its owner finds the lead by it, and nobody reads a person from it. */
import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { endpoints } from '../../src/contract';
import { csvOf } from '../support/csv';
import { eraseUntilDone, leadIdOf, withKey } from '../support/background';
import { logged, newLead, startGateway, type Gateway, type GatewayAnswer } from '../support/gateway';
import { callers, keyOf } from '../support/keys';
import { untilHolds } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const { path } = endpoints.noPrescreen;
const mended = { reason: 'the instance was mistyped', fields: { instanceName: 'erg-oct' } };

let gateway: Gateway;
let receiver: Upstream;
beforeAll(async () => {
  receiver = await openUpstream();
  gateway = await startGateway({
    settings: {
      GATEWAY_API_KEYS: callers('form:leads', 'n8n:leads', 'ops:operator+leads'),
      EVENTS_WEBHOOK_URL: `${receiver.url}/events`,
      EVENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await receiver?.close();
});

const as = (name: string) => ({ 'x-gateway-key': keyOf(name) });
const send = (key: string, lead: object = newLead(), name = 'form', headers = {}) =>
  gateway.post(path, lead, { ...as(name), 'idempotency-key': key, ...headers });
const get = async (query: string, name = 'ops') => (await gateway.get(query, as(name))).body;
const find = async (reference: string, name = 'ops', filter = {}) =>
  (await get(`/api/leads?${new URLSearchParams({ reference, ...filter }).toString()}`, name)).leads as {
    leadId: string;
    reference?: string;
  }[];
const foundIds = async (...asked: Parameters<typeof find>) => (await find(...asked)).map(({ leadId }) => leadId);

describe('the reference of a lead', () => {
  it('finds it in the very next list and count, in any state, and stands in its answers', async () => {
    const key = `form-${randomUUID()}`;
    const leadId = leadIdOf(await send(key));
    expect(await find(key)).toMatchObject([{ leadId, reference: key }]);
    expect(await foundIds(key, 'ops', { state: 'delivered', flow: 'no-prescreen' })).toEqual([leadId]);
    expect(await foundIds(key, 'ops', { state: 'failed' })).toEqual([]);
    expect(await foundIds(`"${key}"`)).toEqual([leadId]);
    expect(await foundIds(key.toUpperCase())).toEqual([]);
    expect((await get(`/api/leads/counts?reference=${key}`)).counts).toMatchObject({ delivered: 1, failed: 0 });
    expect(await get(`/api/leads/${leadId}`)).toMatchObject({ reference: key });
    const csv = await fetch(`${gateway.url}/api/leads.csv?reference=${key}`, { headers: as('ops') });
    const [head = '', row = '', end] = (await csv.text()).trim().split(/\r?\n/);
    expect(row.split(',')[head.split(',').indexOf('reference')]).toBe(key);
    expect(end).toBeUndefined();
  });

  it('is one key with and without quotes', async () => {
    const [key, lead] = [`form-${randomUUID()}`, newLead()];
    const leadId = leadIdOf(await send(`"${key}"`, lead));
    const again = await send(key, lead);
    expect([leadIdOf(again), again.headers.get('idempotency-replayed')]).toEqual([leadId, 'true']);
    expect(await find(key)).toMatchObject([{ leadId, reference: key }]);
  });

  it('is one of each caller: an operator finds the leads of both', async () => {
    const key = `order-${randomUUID()}`;
    const ids = [leadIdOf(await send(key)), leadIdOf(await send(key, newLead(), 'n8n'))];
    expect(new Set(ids).size).toBe(2);
    for (const name of ['ops', 'form']) expect((await foundIds(key, name)).toSorted()).toEqual(ids.toSorted());
  });

  it('is absent without a key, and of a row of a file', async () => {
    const leadId = leadIdOf(await gateway.post(path, newLead(), as('form')));
    expect(await get(`/api/leads/${leadId}`)).not.toHaveProperty('reference');
    const file = { ...as('form'), 'content-type': 'text/csv', 'idempotency-key': `file-${randomUUID()}` };
    await gateway.post('/api/imports?flow=no-prescreen', Buffer.from(csvOf([newLead('', { protocol: 'OF-A-FILE' })])), file);
    const { leads } = await get('/api/leads?protocol=OF-A-FILE');
    expect(leads).toEqual([expect.not.objectContaining({ reference: expect.anything() })]);
    expect(await find(file['idempotency-key'])).toEqual([]);
  });

  it('selects the leads of a bulk order, and stays over a redrive', async () => {
    const key = `form-${randomUUID()}`;
    const leadId = leadIdOf(await send(key, newLead('', { instanceName: 'erg-oct.key-404' })));
    await send(`form-${randomUUID()}`, newLead('', { instanceName: 'erg-oct.key-404' }));
    const order = { filter: { reference: key }, ...mended };
    expect((await gateway.post('/api/redrives', order, as('ops'))).body).toMatchObject({ count: 1 });
    expect((await gateway.post('/api/redrives', { ...order, count: 1 }, as('ops'))).status).toBe(202);
    await untilHolds(
      async () => expect(await get(`/api/leads/${leadId}?wait=60`)).toMatchObject({ state: 'delivered', reference: key }),
      'it is redriven',
    );
  });

  it('stands in each event', async () => {
    const key = `form-${randomUUID()}`;
    await send(key);
    await untilHolds(async () => expect(eventsOf(key)).toEqual(['lead.accepted', 'lead.delivered']), 'both are told');
  });
});

const eventsOf = (reference: string) =>
  receiver.received.filter(({ body }) => body.data.reference === reference).map(({ body }) => body.type);

/** All that the engine keeps of a run and shows without a key. */
async function engineView({ headers }: GatewayAnswer): Promise<string> {
  const { namespace, connection } = gateway.engine;
  const execution = { workflowId: headers.get('x-workflow-id') ?? '' };
  const history = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const described = await connection.workflowService.describeWorkflowExecution({ namespace, execution });
  const { GetWorkflowExecutionHistoryResponse: History, DescribeWorkflowExecutionResponse: Description } = temporal.api.workflowservice.v1;
  return Buffer.concat([History.encode(history).finish(), Description.encode(described).finish()]).toString('latin1');
}

describe('a reference with personal data', () => {
  it.each([
    ['an e-mail', (email: string) => email, (email: string) => `${email.charAt(0)}…@e….org`],
    ['a name', () => `Featherstone-${randomUUID()}`, () => '•••'],
    ['a phone', () => `call-555.201.3344-${randomUUID()}`, () => '•••'],
  ])('such as %s is masked everywhere, and finds the lead', async (_what, keyWith, shownOf) => {
    const lead = newLead('', { lastName: 'Featherstone', instanceName: 'erg-oct.key-404' });
    const [key, shown] = [keyWith(lead.email), shownOf(lead.email)];
    const answer = await send(key, lead);
    const leadId = leadIdOf(answer);
    // A redrive that removes the person's data from the body does not reveal the reference.
    const fields = { ...mended.fields, lastName: 'Lee', email: newLead().email, phone: '5550000000' };
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { ...mended, fields }, as('ops'))).status).toBe(200);
    await get(`/api/leads/${leadId}?wait=60`);
    expect(await find(key)).toMatchObject([{ leadId, reference: shown }]);
    expect(await get(`/api/leads/${leadId}`)).toMatchObject({ reference: shown });
    const told = () => receiver.received.filter(({ body }) => body.data.leadId === leadId);
    await untilHolds(
      async () => expect(told().at(-1)?.body).toMatchObject({ type: 'lead.delivered', data: { reference: shown } }),
      'its end is told',
    );
    const csv = await (await fetch(`${gateway.url}/api/leads.csv?reference=${encodeURIComponent(key)}`, { headers: as('ops') })).text();
    expect(csv).toContain(shown);
    const list = JSON.stringify([await find(key), await get(`/api/leads/${leadId}`), csv, told().map(({ text }) => text)]);
    for (const place of [list, await engineView(answer), logged.join('')]) expect(place).not.toContain(key);
  });

  it('goes with its lead in an erasure', async () => {
    const lead = newLead();
    await send(lead.email, lead);
    expect(await find(lead.email)).toHaveLength(1);
    const receipts = await eraseUntilDone(withKey(gateway, keyOf('ops')), { email: lead.email });
    expect(await find(lead.email)).toEqual([]);
    const trail = await get('/api/audit');
    expect(JSON.stringify([receipts.map(({ body }) => body), trail])).not.toContain(lead.email);
  });
});

it('is not readable in the engine, the log or the ids', async () => {
  const key = `form-${randomUUID()}`;
  const answer = await send(key);
  await find(key);
  for (const place of [await engineView(answer), logged.join(''), leadIdOf(answer)]) expect(place).not.toContain(key);
});
