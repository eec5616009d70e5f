import { atOnce, withoutAccessKey, leadIdOf, sentOf } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  // Packages load some modules with their first call. Jest lets nothing load while concurrent tests run.
  await gateway.post(noPrescreen, newLead());
});
afterAll(() => gateway.stop());

const noPrescreen = '/api/clinicsys/no-prescreen';

/** Lets V1 answer a lead that it holds, as soon as the lead is there. */
async function release(at: Gateway, email: string): Promise<void> {
  await until(async () => (await sentOf(at, email)).length === 1, 'it is at V1');
  await at.release();
}

describe('the status of a lead', () => {
  it.concurrent('has the steps, and as the result the answer of the route without the access key', async () => {
    const sent = await gateway.post(noPrescreen, newLead());
    const leadId = sent.headers.get('x-lead-id');
    const { status, headers, body } = await gateway.get(`/api/leads/${leadId}`);
    expect(status).toBe(200);
    for (const name of ['x-lead-id', 'x-workflow-id']) expect(headers.get(name)).toBe(sent.headers.get(name));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const step = (name: string) => ({ name, state: 'done', startedAt: time, endedAt: time, attempts: 1 });
    expect(body).toEqual({
      success: true,
      leadId,
      flow: 'no-prescreen',
      sandbox: true,
      state: 'delivered',
      step: 'send-comments',
      createdAt: time,
      updatedAt: time,
      steps: ['get-api-key', 'check-email', 'format-data', 'send-to-rt', 'send-comments'].map(step),
      attempts: [{ attempt: 1, startedAt: time, endedAt: time, state: 'delivered' }],
      result: withoutAccessKey(sent.body),
    });
  });

  it.concurrent('is available during a long step', async () => {
    const lead = newLead('v1-hold');
    const { leadId } = (await gateway.post(noPrescreen, lead, { prefer: 'respond-async' })).body;
    const { state, steps } = await until(async () => {
      const { body } = await gateway.get(`/api/leads/${leadId}`);
      return body.step === 'send-to-rt' && body;
    }, 'it is sent');
    const states = steps.map((one: { state: string }) => one.state);
    expect([state, states]).toEqual(['running', ['done', 'done', 'done', 'running', 'pending']]);
    expect(steps[3]).toEqual({ name: 'send-to-rt', state: 'running', attempts: 1, startedAt: expect.any(String) });
    await release(gateway, lead.email);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  });

  it.concurrent('is available for a failed lead', async () => {
    const { body: refused } = await gateway.post(noPrescreen, newLead('v1-refused'));
    const { body } = await gateway.get(`/api/leads/${refused.leadId}`);
    expect(body).toMatchObject({ state: 'failed', step: 'send-to-rt' });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.steps.at(-2).endedAt));
    expect(body.steps.at(-2)).toMatchObject({
      name: 'send-to-rt',
      state: 'failed',
      error: { code: 'UPSTREAM_REJECTED', message: refused.message },
    });
    expect(body.steps.at(-1)).toEqual({ name: 'send-comments', state: 'pending', attempts: 0 });
  });

  it.concurrent.each(['b0000000000000000000-0', 'b00000000000000000000-0000000000', 'x', "p'-or-1"])(
    'is 404 for an id that is none (%s)',
    async (leadId) =>
      expect(await gateway.get(`/api/leads/${leadId}`)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } }),
  );
});

describe('the wait of a request', () => {
  it.concurrent.each([{ prefer: 'respond-async' }, { prefer: 'wait=0' }])(
    'answers 202 at once on %j, and the same run goes on',
    async (headers) => {
      const accepted = await gateway.post(noPrescreen, newLead(), headers);
      expect(accepted.status).toBe(202);
      const { leadId, statusUrl } = accepted.body;
      expect(accepted.body).toEqual({
        success: false,
        pending: true,
        state: expect.any(String),
        message: expect.any(String),
        leadId,
        statusUrl: `/api/leads/${leadId}`,
      });
      expect(accepted.headers.get('location')).toBe(statusUrl);
      expect((await gateway.get(`${statusUrl}?wait=60`)).body).toMatchObject({
        state: 'delivered',
        leadId,
        result: { rtResponse: { status: 0 } },
      });
    },
  );

  it.concurrent('ends with 202 when the run takes longer than Prefer says', async () => {
    const lead = newLead('v1-hold');
    const slow = await gateway.post(noPrescreen, lead, { prefer: 'wait=1' });
    expect([slow.status, slow.body.state]).toEqual([202, 'running']);
    await release(gateway, lead.email);
    expect((await gateway.get(`${slow.body.statusUrl}?wait=60`)).body.state).toBe('delivered');
  });

  it.concurrent('returns that a lead is not sent yet', async () => {
    const lead = newLead('', { instanceName: 'erg-oct.key-500' });
    // The same body attaches to its run, however long that takes to get there.
    const { body } = await until(async () => {
      const answer = await gateway.post(noPrescreen, lead, { prefer: 'wait=1' });
      return answer.body.state === 'waiting' ? answer : undefined;
    }, 'it waits');
    expect(body).toMatchObject({ pending: true, state: 'waiting' });
    const { body: told } = await gateway.get(body.statusUrl);
    expect(told.steps[0]).toMatchObject({ name: 'get-api-key', state: 'waiting', error: { code: 'UPSTREAM_ERROR' } });
  });
});

describe('repeats', () => {
  it.concurrent('return the original answer for the same Idempotency-Key and body, and send nothing twice', async () => {
    const lead = newLead();
    const key = { 'idempotency-key': `k-${lead.email}` };
    const first = await gateway.post(noPrescreen, lead, key);
    const reordered = Object.fromEntries(Object.entries(lead).toReversed());
    const again = await gateway.post(noPrescreen, JSON.stringify(reordered, null, 2), key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
    expect(again.headers.get('x-lead-id')).toBe(first.headers.get('x-lead-id'));
    const { requests } = await gateway.sandbox();
    expect(requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(lead.email)))).toHaveLength(1);
  });

  it.concurrent('return the original rejection', async () => {
    const lead = newLead('v1-refused');
    const key = { 'idempotency-key': `k-${lead.email}` };
    const first = await gateway.post(noPrescreen, lead, key);
    expect(await gateway.post(noPrescreen, lead, key)).toMatchObject({ status: 422, body: first.body });
  });

  it.concurrent('are rejected with another body, and a 400 does not consume a key', async () => {
    const key = { 'idempotency-key': `k-${newLead().email}` };
    expect((await gateway.post(noPrescreen, {}, key)).status).toBe(400);
    expect((await gateway.post(noPrescreen, newLead(), key)).status).toBe(200);
    expect(await gateway.post(noPrescreen, newLead(), key)).toMatchObject({
      status: 422,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  it.concurrent('are rejected with a key that is not visible ASCII', async () =>
    expect((await gateway.post(noPrescreen, newLead(), { 'idempotency-key': 'a b' })).status).toBe(400),
  );

  it.concurrent.each(['with-prescreen', 'no-prescreen'])(
    'attach to the open run of an identical body without a key in %s',
    async (flow) => {
      const own = await startGateway();
      try {
        const lead = newLead('v1-hold');
        const send = (headers = {}) => own.post(`/api/clinicsys/${flow}`, lead, headers);
        const both = [send(), send()];
        await until(async () => (await sentOf(own, lead.email)).length === 1, 'it is at V1');
        const late = await send(atOnce);
        await release(own, lead.email);
        const answers = [...(await Promise.all(both)), late];
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 202]);
        expect(new Set(answers.map(leadIdOf)).size).toBe(1);
      } finally {
        await own.stop();
      }
    },
  );

  it.concurrent('are a new lead after the run has closed', async () => {
    const lead = newLead();
    const first = await gateway.post('/api/clinicsys/with-prescreen', lead);
    const second = await gateway.post('/api/clinicsys/with-prescreen', lead);
    expect(second.headers.get('x-lead-id')).not.toBe(first.headers.get('x-lead-id'));
    const told = await until(async () => {
      const { status, body } = await gateway.get(`/api/leads/${first.headers.get('x-lead-id')}`);
      return status === 200 && body;
    }, 'the first of two leads under one id is found');
    expect(told).toMatchObject({ state: 'delivered', result: { rtResponse: { PatientID: first.body.rtResponse.PatientID } } });
  });
});

describe('a dry run', () => {
  it.each(['yes', '1', ''])('rejects X-Dry-Run: %p, and sends nothing', async (word) => {
    const instanceName = 'erg-oct.dry';
    const { status, body } = await gateway.post(noPrescreen, newLead('', { instanceName }), { 'x-dry-run': word });
    expect([status, body.error.details[0].field]).toEqual([400, 'X-Dry-Run']);
    const { requests } = await gateway.sandbox();
    expect(requests.filter((sent) => `${sent.url} ${sent.body}`.includes(instanceName))).toEqual([]);
  });

  it('is rejected on a route without dry runs', async () =>
    expect((await gateway.post('/api/taskboard/projects', { name: 'x', fromTemplate: false }, { 'x-dry-run': 'true' })).status).toBe(400));

  it.each(['with-prescreen', 'no-prescreen'])('of %s prepares the request and sends nothing', async (flow) => {
    const before = (await gateway.sandbox()).calls;
    const { status, body, headers } = await gateway.post(`/api/clinicsys/${flow}`, newLead('', { q1: 'Yes' }), { 'x-dry-run': 'true' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      dryRun: true,
      message: expect.any(String),
      payload: { StudyID: 12, Phone: '555-201-3344' },
    });
    expect(headers.get('x-lead-id')).toBeNull();
    const after = (await gateway.sandbox()).calls;
    expect([after.v1, after.comment]).toEqual([before.v1, before.comment]);
  });

  it('returns null if nothing would be sent', async () =>
    expect((await gateway.post(noPrescreen, newLead('', { email: 'ann@example.org' }), { 'x-dry-run': 'true' })).body.payload).toBeNull());
});
