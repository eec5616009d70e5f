/** Tests that answers about a redriven lead come from its newest attempt, and that it can be redriven whenever that has failed. */
import { setTimeout as pause } from 'node:timers/promises';
import { atOnce, withoutAccessKey, leadIdOf, noPrescreen, sentOf, underLoad, withKey, type ApiCaller } from '../support/background';
import { newLead, sameInstallation, startGateway } from '../support/gateway';
import { callers, keyOf } from '../support/keys';
import { untilHolds } from '../support/until';

const keys = callers('desk:operator+leads', 'night:operator+leads');
const gateway = underLoad({ GATEWAY_API_KEYS: keys }, keyOf('desk'));
const desk = () => withKey(gateway(), keyOf('desk'));
const night = () => withKey(gateway(), keyOf('night'));

const reason = 'The input is mended';
/** An attempt that is still open at the next request. */
const slow = { instanceName: 'erg-oct.key-slow-600' };
const redrive = (leadId: string, fields?: object) => desk().post(`/api/leads/${leadId}/redrive`, { reason, fields });
const readLead = async (leadId: string, query = '') => (await desk().get(`/api/leads/${leadId}${query}`)).body;
const end = (leadId: string) => readLead(leadId, '?wait=60');

async function failedLead(lead = newLead('', { instanceName: 'erg-oct.key-404' }), headers?: Record<string, string>): Promise<string> {
  const { status, body } = await desk().post(noPrescreen, lead, headers);
  expect([status, body.state]).toEqual([422, 'failed']);
  return body.leadId;
}

it('a lead can be redriven each time it fails', async () => {
  const leadId = await failedLead(newLead('v1-refused-x3'));
  for (const state of ['failed', 'failed', 'delivered']) {
    expect(await redrive(leadId)).toMatchObject({ status: 200, body: { success: true, leadId, state: 'running' } });
    expect((await end(leadId)).state).toBe(state);
  }
});

it.each([
  ['alone', false],
  ['with a newer lead of the person', true],
])('a read after an answered redrive never returns the previous attempt: %s', async (_, hasNewer) => {
  const lead = newLead('', { instanceName: 'erg-oct.key-404' });
  const leadId = await failedLead(lead);
  if (hasNewer) await failedLead({ ...lead, protocol: 'other' });
  let before = await readLead(leadId);
  // The first corrected attempt fails in its turn, after the slow look-up: only then may `failed` be returned again.
  for (const fields of [{ instanceName: 'erg-oct.key-slow-400.v1-refused' }, slow]) {
    expect((await redrive(leadId, fields)).status).toBe(200);
    let now = await readLead(leadId);
    while (!['failed', 'delivered'].includes(now.state)) {
      expect(['running', 'waiting']).toContain(now.state);
      expect(now.updatedAt > before.updatedAt).toBe(true);
      // Often enough to look several times while the index lags.
      await pause(20);
      now = await readLead(leadId);
    }
    expect(now.updatedAt > before.updatedAt).toBe(true);
    expect(now.steps[0].state).toBe('done');
    before = now;
  }
  expect(before.state).toBe('delivered');
});

it('of two concurrent redrives, one starts and the other is refused', async () => {
  const lead = newLead('', { instanceName: 'erg-oct.key-404' });
  const leadId = await failedLead(lead);
  const both = await Promise.all([redrive(leadId, slow), redrive(leadId, slow)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.error.code).toBe('WRONG_STATE');
  expect((await end(leadId)).state).toBe('delivered');
  expect(await sentOf(gateway(), lead.email)).toHaveLength(1);
});

it.each([
  ['a lead that failed', { instanceName: 'erg-oct.key-404' }, 'failed'],
  ['a lead that waits and is mended', { instanceName: 'erg-standing' }, 'waiting'],
])('one redrive sent to two APIs at once starts one attempt, and both APIs answer the same: %s', async (_, fault, state) => {
  const other = await startGateway({ settings: { GATEWAY_API_KEYS: keys, ...sameInstallation(gateway()) }, withoutWorker: true });
  try {
    // A lead that would go there waits until it is mended.
    const order = { upstream: 'key-service', instance: 'ERG/erg-standing', reason };
    expect((await desk().post('/api/upstreams/pause', order)).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      const lead = newLead('', fault);
      const { leadId } = (await desk().post(noPrescreen, lead, atOnce)).body;
      await untilHolds(async () => expect(await readLead(leadId)).toMatchObject({ state }), `it is ${state}`);
      const key = { 'idempotency-key': `order-${lead.email}` };
      const ask = (at: ApiCaller, fields = { instanceName: 'erg-oct' }) => at.post(`/api/leads/${leadId}/redrive`, { reason, fields }, key);
      const both = await Promise.all([ask(desk()), ask(withKey(other, keyOf('desk')))]);
      expect(both.map(({ status, body }) => [status, body])).toEqual(both.map(() => [200, { success: true, leadId, state: 'running' }]));
      expect(both.map(({ headers }) => headers.get('idempotency-replayed')).toSorted()).toEqual([null, 'true'].toSorted());
      expect((await ask(withKey(other, keyOf('desk')), { instanceName: 'erg-tampa' })).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
      expect((await end(leadId)).state).toBe('delivered');
      expect((await readLead(leadId)).attempts).toHaveLength(2);
      expect(await sentOf(gateway(), lead.email)).toHaveLength(1);
    }
    expect((await desk().post('/api/upstreams/resume', order)).status).toBe(200);
  } finally {
    await other.stop();
  }
});

it('a repeated lead with the same Idempotency-Key returns the newest attempt', async () => {
  const lead = newLead('', { instanceName: 'erg-oct.key-404' });
  const key = { 'idempotency-key': `again-${lead.email}` };
  const leadId = await failedLead(lead, key);
  expect((await redrive(leadId, slow)).status).toBe(200);
  const early = await desk().post(noPrescreen, lead, { ...key, ...atOnce });
  // It may have ended just now.
  expect([200, 202]).toContain(early.status);
  expect(leadIdOf(early)).toBe(leadId);
  const late = await desk().post(noPrescreen, lead, key);
  expect([late.status, leadIdOf(late), late.headers.get('idempotency-replayed')]).toEqual([200, leadId, 'true']);
  expect((await readLead(leadId)).result).toEqual(withoutAccessKey(late.body));
  expect(await sentOf(gateway(), lead.email)).toHaveLength(1);
});

describe('the attempts of a lead', () => {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

  it('are a single one without a redrive', async () => {
    const answer = await desk().post(noPrescreen, newLead());
    expect((await readLead(leadIdOf(answer))).attempts).toEqual([{ attempt: 1, startedAt: time, endedAt: time, state: 'delivered' }]);
  });

  it('are listed in order, each with the operator, the reason, the changed fields and the result', async () => {
    const leadId = await failedLead();
    expect((await redrive(leadId)).status).toBe(200);
    expect((await end(leadId)).state).toBe('failed');
    const fields = { instanceName: 'erg-oct.comment-422', protocol: 'AD-302' };
    const mended = await night().post(`/api/leads/${leadId}/redrive`, { reason: 'Another instance', fields });
    expect(mended.status).toBe(200);

    const error = expect.objectContaining({ code: 'UPSTREAM_REJECTED', message: expect.any(String) });
    const first = { attempt: 1, startedAt: time, endedAt: time, state: 'failed', error };
    const second = { attempt: 2, startedAt: time, endedAt: time, state: 'failed', by: 'desk', reason, error };
    const third = { attempt: 3, startedAt: time, by: 'night', reason: 'Another instance' };
    expect((await end(leadId)).state).toBe('parked');
    const open = (await readLead(leadId)).attempts;
    expect(open).toEqual([first, expect.objectContaining(second), expect.objectContaining({ ...third, state: 'parked' })]);
    expect(open[2].endedAt).toBeUndefined();

    expect((await night().post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
    expect((await end(leadId)).state).toBe('discarded');
    const { attempts } = await readLead(leadId);
    expect(attempts).toEqual([
      first,
      expect.objectContaining(second),
      expect.objectContaining({ ...third, state: 'discarded', endedAt: time }),
    ]);
    expect(attempts[1].changed ?? []).toEqual([]);
    expect(attempts[2].changed.toSorted()).toEqual(['instanceName', 'protocol']);
    const times = attempts.flatMap(({ startedAt, endedAt }: Record<string, string>) => [startedAt, endedAt]);
    expect(times).toEqual(times.toSorted());
  });

  it('have their own requests and answers, and name the operator who redrove the lead', async () => {
    const leadId = await failedLead();
    expect((await redrive(leadId, { instanceName: 'erg-oct' })).status).toBe(200);
    expect((await end(leadId)).state).toBe('delivered');
    const storyOf = async (query: string) => (await night().get(`/api/leads/${leadId}/exchanges${query}`)).body;
    const callsOf = ({ exchanges }: { exchanges: { step: string }[] }) => [...new Set(exchanges.map(({ step }) => step))];
    const [first, second, newest] = await Promise.all(['?attempt=1', '?attempt=2', ''].map(storyOf));
    expect(callsOf(first)).toEqual(['get-api-key']);
    expect(callsOf(second)).toContain('send-to-rt');
    expect(newest).toEqual(second);
    expect(newest.decisions).toEqual([{ at: time, verb: 'redrive', reason, by: 'desk' }]);
    expect([400, 404]).toContain((await night().get(`/api/leads/${leadId}/exchanges?attempt=3`)).status);
  });

  it('name the operator who decided a parked lead', async () => {
    const { body } = await desk().post(noPrescreen, newLead('comment-422-once'));
    expect(body.state).toBe('parked');
    expect((await night().post(`/api/leads/${body.leadId}/resend`, { reason })).status).toBe(200);
    expect((await end(body.leadId)).state).toBe('delivered');
    const { decisions } = (await desk().get(`/api/leads/${body.leadId}/exchanges`)).body;
    expect(decisions).toEqual([{ at: time, verb: 'resend', reason, by: 'night' }]);
  });
});
