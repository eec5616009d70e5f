/** What is looked for after an answer that did not arrive, and whose it is. */
import { createSamePersonCount } from '../../src/leads/same-person';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const noPrescreen = '/api/clinicsys/no-prescreen';
const withPrescreen = '/api/clinicsys/with-prescreen';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ settings: { SYNC_WAIT_MS: '60000' } })));
afterAll(() => gateway.stop());

async function callsOf(name: string, word: string): Promise<number> {
  const { requests } = await gateway.sandbox();
  const encoded = encodeURIComponent(word);
  return requests.filter(
    ({ call, url, body }) => call === name && [url, body].some((text) => text.includes(encoded) || text.includes(word)),
  ).length;
}

describe('a comment that may have been written', () => {
  it.concurrent('is found by the next look when the first one fails', async () => {
    const protocol = `late ${Date.now()}`;
    const lead = newLead('comment-reset-after-once+readback-500-once', { protocol, instanceName: 'erg-oct.late' });
    const { status, body } = await gateway.post(noPrescreen, lead);
    expect(status).toBe(200);
    expect(body.rtV2Response.data.comment).toContain(protocol);
    expect(await callsOf('comment', protocol)).toBe(1);
  });

  it.concurrent('is found with a new key when the site system refuses the first one', async () => {
    const { status, body } = await gateway.post(noPrescreen, newLead('comment-500-after+readback-revoked'));
    expect([status, body.state]).toEqual([200, undefined]);
  });

  it.concurrent('is not taken for an earlier one in the same words', async () => {
    const lead = newLead();
    expect((await gateway.post(noPrescreen, lead)).status).toBe(200);
    const again = await gateway.post(noPrescreen, { ...lead, instanceName: 'erg-oct.comment-reset' });
    expect([again.status, again.body.state, again.body.error.code]).toEqual([502, 'parked', 'OUTCOME_UNKNOWN']);
  });

  it.concurrent('counts where the earlier one is there, too', async () => {
    const lead = newLead();
    expect((await gateway.post(withPrescreen, lead)).status).toBe(200);
    const again = await gateway.post(noPrescreen, { ...lead, instanceName: 'erg-oct.comment-reset-after' });
    expect(again.status).toBe(200);
  });
});

it.concurrent('a subject that another lead of the person has become proves nothing', async () => {
  const lost = newLead('v1-reset-once', { instanceName: 'erg-oct.lost' });
  const { body } = await gateway.post(withPrescreen, lost, { prefer: 'respond-async' });
  const stateNow = async () => (await gateway.get(`/api/leads/${body.leadId}`)).body.state;
  await until(async () => (await stateNow()) === 'verifying', 'it is lost');
  expect((await gateway.post(withPrescreen, { ...lost, protocol: 'other' })).status).toBe(200);
  const looksBefore = await callsOf('lookup', lost.email);
  // The pauses between the look-ups grow.
  await until(async () => (await callsOf('lookup', lost.email)) > looksBefore, 'it was looked for');
  await until(async () => (await stateNow()) === 'verifying', 'it is told');
  expect((await gateway.get(`/api/leads/${body.leadId}?wait=1`)).body).toMatchObject({ state: 'verifying' });
});

it.concurrent('a lead that ended before counts, unless the run looked up by itself who was there', async () => {
  const { body } = await gateway.post(noPrescreen, newLead());
  const count = createSamePersonCount(gateway.client, gateway.keys);
  const asking = { email: newLead().email, subjectId: body.rtResponse.PatientID, instanceName: 'erg-oct' };
  const moments = [undefined, body.created, new Date(Date.now() + 60_000)].map((moment) => moment && new Date(moment).toISOString());
  const counts = await Promise.all(moments.map((since) => count('', { ...asking, since })));
  expect(counts.map(({ arrived }) => arrived)).toEqual([1, 1, 0]);
});

it.concurrent('a comment of a step alone counts for its patient, also without an e-mail', async () => {
  const { rtResponse } = (await gateway.post(noPrescreen, newLead())).body;
  const step = { instanceName: 'erg-oct', key: 'any', phone: '5552013344', rtResponse };
  expect((await gateway.post('/api/clinicsys/no-prescreen/send-comments', step)).status).toBe(200);
  const count = createSamePersonCount(gateway.client, gateway.keys);
  const { commented } = await count('', { email: '', subjectId: rtResponse.PatientID, instanceName: 'erg-oct' });
  expect(commented).toBe(2);
});
