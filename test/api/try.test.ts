/** A waiting lead is tried when a person says so: at once, each lead once, and on record. */
import { endpoints } from '../../src/contract';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { openUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const { sendPatient } = endpoints;
/** The upstream asks for five minutes. */
const later = { status: 429, body: { error: 'busy' }, headers: { 'retry-after': '300' } };
const accepted = { body: { success: true, id: 7 } };

let screening: Upstream;
let gateway: Gateway;
beforeEach(async () => {
  screening = await openUpstream();
  gateway = await startGateway({ settings: { SCREENING_URL: screening.url, SCREENING_API_KEY: 'mine' } });
});
afterEach(async () => {
  await gateway.stop();
  await screening.close();
});

async function post(): Promise<string> {
  const lead = { ...sendPatient.example, email: newLead().email };
  return (await gateway.post(sendPatient.path, lead, { prefer: 'respond-async' })).body.leadId;
}

const read = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body;
const waitsFor = (leadId: string, what: string) =>
  until(async () => (await read(leadId)).waitsFor?.what === what, `it waits for its ${what}`);
const tryNow = (leadId: string) => gateway.post(`/api/leads/${leadId}/try`, { reason: 'the upstream is back' });
const peopleSeen = () => screening.received.map(({ body }) => body.email as string);

it('ends the pause before a retry, and is on record', async () => {
  screening.answerWith(later);
  screening.answerWith(accepted);
  const leadId = await post();
  await waitsFor(leadId, 'retry');
  const { status, body } = await tryNow(leadId);
  expect([status, body]).toEqual([200, { success: true, leadId, state: 'waiting' }]);
  expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  expect(screening.received).toHaveLength(2);
  const { decisions } = (await gateway.get(`/api/leads/${leadId}/exchanges`)).body;
  expect(decisions).toMatchObject([{ verb: 'try', reason: 'the upstream is back' }]);
  const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`)).body;
  expect(entries).toContainEqual(expect.objectContaining({ action: 'try', outcome: 'done' }));
});

it('lets the next lead of a waiting line through, and the others follow, each once', async () => {
  for (let sent = 0; sent < 3; sent++) screening.answerWith(later);
  const first = await Promise.all([post(), post(), post()]);
  await Promise.all(first.map((leadId) => waitsFor(leadId, 'retry')));
  const held = [await post(), await post()];
  await Promise.all(held.map((leadId) => waitsFor(leadId, 'hold')));
  for (let sent = 0; sent < 5; sent++) screening.answerWith(accepted);
  expect((await tryNow(held[1] ?? '')).status).toBe(200);
  for (const leadId of held) expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  for (const leadId of first) await tryNow(leadId);
  for (const leadId of first) expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  expect(screening.received).toHaveLength(8);
  expect(new Set(peopleSeen()).size).toBe(5);
});

it('is refused while the lead is tried, and when it does not wait', async () => {
  let answer = () => {};
  screening.answerWith(later);
  screening.answerWith({ ...accepted, after: new Promise<void>((done) => (answer = done)) });
  const leadId = await post();
  await waitsFor(leadId, 'retry');
  const both = await Promise.all([tryNow(leadId), tryNow(leadId)]);
  expect(both.map(({ status }) => status)).toContain(200);
  await until(() => screening.received.length === 2, 'it is tried');
  const { status, body } = await tryNow(leadId);
  expect([status, body.message]).toEqual([409, 'The lead is being tried just now']);
  answer();
  expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  expect((await tryNow(leadId)).body).toMatchObject({
    message: 'The lead does not wait: its run has ended',
    error: { code: 'WRONG_STATE' },
  });
  expect(screening.received).toHaveLength(2);
});
