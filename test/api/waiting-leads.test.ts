/** A person ends a lead that waits, or mends it: what waits has no need to wait for its time to be up. */
import { randomUUID } from 'node:crypto';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(() => gateway.stop());

const reason = 'the form had a typing error';
const noPrescreen = '/api/clinicsys/no-prescreen';

/** Each waits at an instance of its own, so that its failures hold no other lead. */
async function waitingLead(sentinel: string) {
  const instanceName = `erg-oct.w${randomUUID().slice(0, 8)}`;
  const lead = newLead(sentinel, { instanceName });
  const { body } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
  const leadId = String(body.leadId);
  await until(async () => (await read(leadId)).waitsFor, 'the lead waits');
  return { lead, leadId };
}

const read = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body;
const sentTo = async (call: string, email: string) =>
  (await gateway.sandbox()).requests.filter((one) => one.call === call && one.body.includes(encodeURIComponent(email))).length;

describe.each([
  ['a read that the engine tries again', 'lookup-503', 'check-email'],
  ['a send that was not taken', 'v1-429', 'send-to-rt'],
])('at %s', (_what, sentinel, step) => {
  it.concurrent('discard ends it, and only once', async () => {
    const { lead, leadId } = await waitingLead(sentinel);
    expect(await gateway.post(`/api/leads/${leadId}/discard`, { reason })).toMatchObject({
      status: 200,
      body: { leadId, state: 'discarded' },
    });
    expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body).toMatchObject({ state: 'discarded', step });
    expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(409);
    expect(await sentTo('comment', lead.email)).toBe(0);
  });

  it.concurrent('a redrive with mended fields begins the next attempt', async () => {
    const { leadId } = await waitingLead(sentinel);
    const email = newLead().email;
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email, instanceName: 'erg-oct' } })).toMatchObject({
      status: 200,
    });
    const { body } = await gateway.get(`/api/leads/${leadId}?wait=30`);
    expect(body).toMatchObject({
      leadId,
      state: 'delivered',
      attempts: [
        { attempt: 1, state: 'failed' },
        { attempt: 2, state: 'delivered' },
      ],
    });
    expect(await sentTo('v1', email)).toBe(1);
  });
});

it('a redrive that mends nothing leaves a waiting lead alone', async () => {
  const { leadId } = await waitingLead('lookup-503');
  expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).toMatchObject({
    status: 409,
    body: { error: { code: 'WRONG_STATE' } },
  });
  expect(await read(leadId)).toMatchObject({ state: 'waiting', attempts: [{ attempt: 1 }] });
});

it('a redrive with a wrong field leaves a waiting lead alone', async () => {
  const { leadId } = await waitingLead('lookup-503');
  expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email: 'nobody' } })).status).toBe(400);
  expect(await read(leadId)).toMatchObject({ state: 'waiting', attempts: [{ attempt: 1 }] });
});

it('discard ends a lead that waits for another one of its person', async () => {
  const first = newLead('v1-hold');
  await gateway.post(noPrescreen, first, { prefer: 'respond-async' });
  const { body } = await gateway.post(noPrescreen, { ...first, lastName: 'Other' }, { prefer: 'respond-async' });
  await until(async () => (await read(body.leadId)).waitsFor?.what === 'person-lock', 'the second waits for the first');
  expect((await gateway.post(`/api/leads/${body.leadId}/discard`, { reason })).status).toBe(200);
  expect((await gateway.get(`/api/leads/${body.leadId}?wait=30`)).body.state).toBe('discarded');
  await gateway.release();
});
