/** What people decide about one lead: parked, failed or waiting. */
import { randomUUID } from 'node:crypto';
import { patientOf } from '../support/background';
import { continueAsNew } from '../support/continued';
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
const reason = 'looked it up by hand';

async function parkedLead() {
  const lead = newLead('comment-422-once');
  const { body } = await gateway.post(noPrescreen, lead);
  expect(body.state).toBe('parked');
  return { lead, leadId: String(body.leadId) };
}

describe('a decision about a parked lead', () => {
  it.concurrent('resend sends only the parked step', async () => {
    const { lead, leadId } = await parkedLead();
    // The id is not needed, and changes nothing.
    const { body } = await gateway.post(`/api/leads/${leadId}/resend`, { reason, upstreamId: 77 });
    expect(body).toEqual({ success: true, leadId, state: 'running' });
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({
      state: 'delivered',
      result: { rtV2Response: { data: {} } },
    });
    const { requests } = await gateway.sandbox();
    expect(requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(lead.email)))).toHaveLength(1);
  });

  it.concurrent('confirm continues with the upstream’s id', async () => {
    const { leadId } = await parkedLead();
    expect((await gateway.post(`/api/leads/${leadId}/confirm`, { reason })).status).toBe(400);
    const upstreamId = await patientOf(gateway, leadId);
    expect((await gateway.post(`/api/leads/${leadId}/confirm`, { reason, upstreamId })).status).toBe(200);
    // It is a person's word and no answer of the site system.
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({
      state: 'delivered',
      result: { rtV2Response: { confirmed: true } },
    });
  });

  it.concurrent('confirm of a comment accepts only the id of the lead in the site system', async () => {
    const { leadId } = await parkedLead();
    const known = await patientOf(gateway, leadId);
    for (const upstreamId of [Number(known) + 1, 'P-1', '0', `${known}0`]) {
      const { status, body } = await gateway.post(`/api/leads/${leadId}/confirm`, { reason, upstreamId });
      expect([status, body.error]).toMatchObject([400, { code: 'VALIDATION_ERROR', details: [{ field: 'upstreamId' }] }]);
      expect(body.message).not.toContain(known);
    }
    expect((await gateway.get(`/api/leads/${leadId}`)).body.state).toBe('parked');
    expect((await gateway.post(`/api/leads/${leadId}/confirm`, { reason, upstreamId: ` ${known} ` })).status).toBe(200);
  });

  it.concurrent('discard ends it, and only once', async () => {
    const { leadId } = await parkedLead();
    expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason, upstreamId: '' })).body.state).toBe('discarded');
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('discarded');
    expect(await gateway.post(`/api/leads/${leadId}/discard`, { reason })).toMatchObject({
      status: 409,
      body: { message: 'The lead neither waits nor is parked: it is already discarded', error: { code: 'WRONG_STATE' } },
    });
  });

  it.concurrent('answers OUTCOME_UNKNOWN if no worker confirms a decision in time', async () => {
    const other = await startGateway({ withoutWorker: true });
    try {
      const stopWorker = await other.startWorker();
      const { body } = await other.post(noPrescreen, newLead('comment-422'));
      expect(body.state).toBe('parked');
      await stopWorker();
      const { status, body: told } = await other.post(`/api/leads/${body.leadId}/discard`, { reason });
      expect([status, told.error]).toMatchObject([502, { code: 'OUTCOME_UNKNOWN', retryable: false }]);
    } finally {
      await other.stop();
    }
  });

  it.concurrent('answers a repeat of a discarded lead that it was discarded, and not to send it again', async () => {
    const [lead, key] = [newLead('comment-503+readback-405'), { 'idempotency-key': randomUUID() }];
    const { body } = await gateway.post(noPrescreen, lead, key);
    expect((await gateway.post(`/api/leads/${body.leadId}/discard`, { reason })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('discarded');
    const repeat = await gateway.post(noPrescreen, lead, key);
    expect(repeat).toMatchObject({ status: 502, body: { state: 'discarded', error: { retryable: false } } });
    expect(repeat.body.message).toMatch(/^An operator discarded the lead: /);
  });

  describe('with an Idempotency-Key', () => {
    const headers = { 'idempotency-key': 'once' };
    const decide = (leadId: string, verb: string, fields = {}) =>
      gateway.post(`/api/leads/${leadId}/${verb}`, { reason, ...fields }, headers);

    it.concurrent.each([['resend'], ['confirm'], ['discard']])('%s is decided once, and a repeat gets the same answer', async (verb) => {
      const { leadId } = await parkedLead();
      const fields = verb === 'confirm' ? { upstreamId: await patientOf(gateway, leadId) } : {};
      const first = await decide(leadId, verb, fields);
      await gateway.get(`/api/leads/${leadId}?wait=60`);
      const again = await decide(leadId, verb, fields);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
      const other = await decide(leadId, verb, { ...fields, reason: 'another' });
      expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    });

    it.concurrent('a failed lead is redriven once, and a repeat gets the same answer', async () => {
      const { body } = await gateway.post(noPrescreen, newLead('v1-refused-once'));
      const [first, again] = [await decide(body.leadId, 'redrive'), await decide(body.leadId, 'redrive')];
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect([first, again].map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
      expect((await decide(body.leadId, 'redrive', { fields: {} })).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    });
  });

  it.concurrent('reports each invalid corrected field', async () => {
    const { body } = await gateway.post('/api/leads/b00000000000000000000-0000000000/redrive', { reason, fields: [] });
    expect(body.error.details).toEqual([{ field: 'fields', message: 'must be an object' }]);
  });

  it.concurrent('requires a reason and a parked lead', async () => {
    const { leadId } = await parkedLead();
    expect((await gateway.post(`/api/leads/${leadId}/resend`, {})).status).toBe(400);
    const delivered = (await gateway.post(noPrescreen, newLead())).headers.get('x-lead-id');
    expect((await gateway.post(`/api/leads/${delivered}/resend`, { reason })).status).toBe(409);
  });
});

describe('a redrive of a failed lead', () => {
  const failedLead = async (sentinels: string, fields = {}) => {
    const lead = newLead(sentinels, fields);
    const { body } = await gateway.post(noPrescreen, lead);
    expect(body.state).toBe('failed');
    return { lead, leadId: String(body.leadId) };
  };

  it.concurrent('sends it unchanged, under its own id, and only once', async () => {
    const { leadId } = await failedLead('v1-refused-once');
    const { createdAt } = (await gateway.get(`/api/leads/${leadId}`)).body;
    const { body } = await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: null });
    expect(body).toEqual({ success: true, leadId, state: 'running' });
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body).toMatchObject({
      leadId,
      state: 'delivered',
      createdAt,
      result: { rtResponse: { status: 0 } },
    });
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).toMatchObject({
      status: 409,
      body: { error: { code: 'WRONG_STATE' } },
    });
  });

  it.concurrent('validates corrected fields like those of a request', async () => {
    const { leadId, lead } = await failedLead('', { instanceName: 'erg-oct.key-404' });
    const wrong = await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { instanceName: 'a b', dob: 'x' } });
    expect([wrong.status, wrong.body.error.details.map(({ field }: { field: string }) => field)]).toEqual([400, ['instanceName', 'dob']]);
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { instanceName: 'erg-oct' } })).status).toBe(200);
    const { body } = await gateway.get(`/api/leads/${leadId}?wait=60`);
    expect(body).toMatchObject({ state: 'delivered', result: { instanceName: 'erg-oct', email: lead.email } });
  });

  it.concurrent.each([
    ['frist_name', 'first_name', '/api/screening/send-patient'],
    ['frist_name', 'firstName', noPrescreen],
  ])('compares the misspelt field %s with the fields of its own route: %s', async (written, meant, path) => {
    const screening = { study_id: 1, site_id: 9999, first_name: 'Bo', last_name: 'Ray', email: newLead('screening-422').email, key: 'k' };
    const lead = path === noPrescreen ? newLead('v1-refused') : screening;
    const { body } = await gateway.post(path, lead);
    expect(body.state).toBe('failed');
    const answer = await gateway.post(`/api/leads/${body.leadId}/redrive`, { reason, fields: { [written]: 'Bo' } });
    expect([answer.status, answer.body.error.details]).toEqual([
      400,
      [{ field: `fields.${written}`, message: `is not known to the lead's route: did you mean ${meant}?` }],
    ]);
  });

  it.concurrent('is possible again if it fails again', async () => {
    const { leadId } = await failedLead('v1-refused-x2');
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('failed');
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).status).toBe(200);
    expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
  });

  it.concurrent('is rejected if the lead has not failed', async () => {
    const { leadId } = await parkedLead();
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).status).toBe(409);
  });
});

/** A person ends a lead that waits, or mends it: what waits has no need to wait for its time to be up. */
describe('a waiting lead', () => {
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
    (await gateway.sandbox()).requests.filter((one) => one.call === call && (one.body + one.url).includes(encodeURIComponent(email)))
      .length;

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

    it.concurrent('a redrive with corrected fields starts the next attempt', async () => {
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

  it.concurrent('keeps the count of its tries over a try and a discard', async () => {
    const { lead, leadId } = await waitingLead('lookup-503');
    const attempts = ({ steps }: { readonly steps: readonly { readonly name: string; readonly attempts: number }[] }) =>
      steps.find(({ name }) => name === 'check-email')?.attempts;
    const lookUps = () => sentTo('lookup', lead.email);
    /** The engine has made some tries, and the next one is not near. */
    const betweenTries = (more: number) =>
      until(async () => {
        const told = await read(leadId);
        return Date.parse(told.waitsFor?.nextTryAt) - Date.now() > 1_500 && (await lookUps()) >= more && told;
      }, 'it waits between two tries');
    const waiting = await betweenTries(4);
    const before = await lookUps();
    expect(attempts(waiting)).toBe(before);
    expect((await gateway.post(`/api/leads/${leadId}/try`, { reason })).status).toBe(200);
    expect(attempts(await betweenTries(before + 2))).toBe(await lookUps());
    expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
    expect(attempts((await gateway.get(`/api/leads/${leadId}?wait=30`)).body)).toBe(await lookUps());
  });

  it.concurrent('a redrive without corrections does not change it', async () => {
    const { leadId } = await waitingLead('lookup-503');
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).toMatchObject({
      status: 409,
      body: { error: { code: 'WRONG_STATE' } },
    });
    expect(await read(leadId)).toMatchObject({ state: 'waiting', attempts: [{ attempt: 1 }] });
  });

  it.concurrent('a redrive with an invalid field does not change it', async () => {
    const { leadId } = await waitingLead('lookup-503');
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email: 'nobody' } })).status).toBe(400);
    expect(await read(leadId)).toMatchObject({ state: 'waiting', attempts: [{ attempt: 1 }] });
  });

  const waitsAt = (leadId: string, what: string) => until(async () => (await read(leadId)).waitsFor?.what === what, `it waits: ${what}`);
  const pause = (verb: 'pause' | 'resume', instance: string) =>
    gateway.post(`/api/upstreams/${verb}`, { upstream: 'key-service', instance: `ERG/${instance}`, reason });

  /** A lead that waits for something else than its own next try, and what ends the cause. */
  const stalled: Record<string, () => Promise<{ leadId: string; lead: Record<string, unknown>; release: () => Promise<unknown> }>> = {
    hold: async () => {
      const instanceName = `erg-oct.key-503.${randomUUID().slice(0, 8)}`;
      const post = () => gateway.post(noPrescreen, newLead('', { instanceName }), { prefer: 'respond-async' });
      for (const { body } of await Promise.all([post(), post(), post()])) await waitsAt(body.leadId, 'hold');
      const lead = newLead('', { instanceName });
      const { body } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
      await waitsAt(body.leadId, 'hold');
      return { leadId: body.leadId, lead, release: async () => undefined };
    },
    pause: async () => {
      const instanceName = `erg-oct.p${randomUUID().slice(0, 8)}`;
      expect((await pause('pause', instanceName)).status).toBe(200);
      const lead = newLead('', { instanceName });
      const { body } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
      await waitsAt(body.leadId, 'pause');
      return { leadId: body.leadId, lead, release: () => pause('resume', instanceName) };
    },
    'person-lock': async () => {
      const first = newLead('comment-422');
      expect((await gateway.post(noPrescreen, first)).body.state).toBe('parked');
      const lead = { ...first, lastName: 'Other' };
      const { body } = await gateway.post(noPrescreen, lead, { prefer: 'respond-async' });
      await waitsAt(body.leadId, 'person-lock');
      return { leadId: body.leadId, lead, release: async () => undefined };
    },
  };

  describe.each(Object.entries(stalled))('at a %s', (_what, stall) => {
    it.concurrent('discard ends it, unsent', async () => {
      const { leadId, lead, release } = await stall();
      const before = await sentTo('v1', String(lead.email));
      expect(await gateway.post(`/api/leads/${leadId}/discard`, { reason })).toMatchObject({ status: 200, body: { state: 'discarded' } });
      await release();
      expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe('discarded');
      expect(await sentTo('v1', String(lead.email))).toBe(before);
    });

    it.concurrent('a redrive with corrected fields sends it once', async () => {
      const { leadId, release } = await stall();
      const { email } = newLead();
      const fields = { email, instanceName: 'erg-oct' };
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields })).toMatchObject({ status: 200 });
      const { body } = await gateway.get(`/api/leads/${leadId}?wait=30`);
      expect(body).toMatchObject({ state: 'delivered', attempts: [{ state: 'failed' }, { state: 'delivered' }] });
      expect(body.attempts[0].error.message).toMatch(/^A person ended its wait to send it with corrected fields: /);
      await release();
      expect(await sentTo('v1', email)).toBe(1);
    });
  });

  /** A lead whose caller waits for its answer. */
  async function awaitedLead(sentinel: string) {
    const lead = newLead(sentinel, { instanceName: `erg-oct.a${randomUUID().slice(0, 8)}` });
    const answered = gateway.post(noPrescreen, lead, { prefer: 'wait=60' });
    const leadId = await until(async () => {
      const { leads } = (await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`)).body;
      return leads[0]?.state === 'waiting' ? String(leads[0].leadId) : undefined;
    }, 'it waits');
    await waitsAt(leadId, 'retry');
    return { lead, leadId, answered };
  }

  it.concurrent('that its upstream does not take is told alike to its caller and in its record when it is discarded', async () => {
    const { leadId, answered } = await awaitedLead('v1-429');
    expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
    const { status, body, headers } = await answered;
    // A tool would send it again after a 429.
    expect([status, body.error, headers.get('retry-after')]).toEqual([
      502,
      { code: 'UPSTREAM_ERROR', step: 'send-to-rt', retryable: false },
      null,
    ]);
    const { attempts, steps } = await read(leadId);
    const error = { code: 'UPSTREAM_ERROR', message: 'The V1 apply endpoint rate-limited the request (429)' };
    expect(body.message).toBe(`An operator discarded the lead: ${error.message}`);
    expect(attempts).toMatchObject([{ state: 'discarded', error }]);
    expect(steps).toContainEqual(expect.objectContaining({ name: 'send-to-rt', error: { ...error, upstream: 'V1' } }));
  });

  it.concurrent.each([
    ['lookup-503', {}],
    ['comment-429', { rtResponse: { status: 0 } }],
  ])('whose run continued as new gives its caller the record when it is discarded: %s', async (sentinel, sent) => {
    const { lead, leadId, answered } = await awaitedLead(sentinel);
    await continueAsNew(gateway, leadId);
    await waitsAt(leadId, 'retry');
    expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
    const { body } = await answered;
    expect(body).toMatchObject({ state: 'discarded', record: { email: lead.email, ...sent } });
    expect(body.record).not.toHaveProperty('key');
  });

  describe('at its comment, after the lead itself was sent', () => {
    it.concurrent('discard leaves out the comment, and the caller is told that the lead was sent', async () => {
      const { leadId, answered } = await awaitedLead('comment-429');
      expect((await gateway.post(`/api/leads/${leadId}/discard`, { reason })).status).toBe(200);
      const { status, body } = await answered;
      expect([status, body.state, body.error.retryable]).toEqual([502, 'discarded', false]);
      expect(body.message).toMatch(/^An operator discarded the lead: .*The lead itself is in the site system/);
      expect(body.record.rtResponse).toMatchObject({ status: 0 });
      expect((await gateway.get(`/api/leads/${leadId}`)).body).toMatchObject({ state: 'discarded', step: 'send-comments' });
    });

    it.concurrent('a redrive is refused, because it would send the lead twice', async () => {
      const { lead, leadId } = await waitingLead('comment-429');
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email: newLead().email } })).toMatchObject({
        status: 409,
        body: { message: 'The lead itself is in the site system and must not be sent again. Only its comment waits' },
      });
      expect(await read(leadId)).toMatchObject({ state: 'waiting', attempts: [{ attempt: 1 }] });
      expect(await sentTo('v1', lead.email)).toBe(1);
    });
  });

  it.concurrent('whose caller still waits tells the caller not to repeat it when it is redriven', async () => {
    const { leadId, answered } = await awaitedLead('lookup-503');
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email: newLead().email } })).status).toBe(200);
    expect((await answered).body.error).toMatchObject({ retryable: false });
  });

  it.concurrent.each([
    ['resend', 'The lead is not parked: it is waiting'],
    ['confirm', 'The lead is not parked: it is waiting'],
    ['redrive', 'The lead has not failed: it is waiting. Redrive it with corrected fields, try it now, or discard it'],
  ])('%s is refused with what applies', async (verb, message) => {
    const { leadId } = await waitingLead('lookup-503');
    const answer = await gateway.post(`/api/leads/${leadId}/${verb}`, { reason, ...(verb === 'confirm' && { upstreamId: 7 }) });
    expect(answer).toMatchObject({ status: 409, body: { message } });
  });

  it.concurrent('that is delivered meanwhile is neither ended nor mended', async () => {
    const { lead, leadId } = await waitingLead('lookup-503-x3');
    await gateway.post(`/api/leads/${leadId}/try`, { reason });
    expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe('delivered');
    expect(await gateway.post(`/api/leads/${leadId}/discard`, { reason })).toMatchObject({
      status: 409,
      body: { message: 'The lead neither waits nor is parked: its run has ended' },
    });
    expect(await gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields: { email: newLead().email } })).toMatchObject({
      status: 409,
      body: { message: 'The lead has not failed: it is delivered' },
    });
    expect(await sentTo('v1', lead.email)).toBe(1);
  });

  describe('with others', () => {
    async function waitingLeads() {
      const protocol = `P-${randomUUID()}`;
      const instanceName = `erg-oct.key-503.${randomUUID().slice(0, 8)}`;
      const post = () => gateway.post(noPrescreen, newLead('', { instanceName, protocol }), { prefer: 'respond-async' });
      const leadIds = (await Promise.all([post(), post()])).map(({ body }) => String(body.leadId));
      for (const leadId of leadIds) await until(async () => (await read(leadId)).waitsFor, 'it waits');
      return { filter: { state: 'waiting', protocol }, leadIds };
    }

    it.concurrent.each([
      ['/api/decisions', 'decisionId', { verb: 'discard' }, 'decided', 'discarded'],
      ['/api/redrives', 'redriveId', { fields: { instanceName: 'erg-oct' } }, 'started', 'delivered'],
    ])('can be carried out by an order: %s', async (path, idName, what, outcome, state) => {
      const { filter, leadIds } = await waitingLeads();
      const order = { filter, reason, ...what };
      const counted = async () => (await gateway.post(path, order)).body.count;
      await until(async () => (await counted()) === leadIds.length, 'both are counted');
      const { status, body } = await gateway.post(path, { ...order, count: leadIds.length });
      expect(status).toBe(202);
      const report = await until(async () => {
        const { body: now } = await gateway.get(`${path}/${body[idName]}`);
        return now.state === 'done' && now;
      }, 'the order is done');
      expect(report.reasons).toEqual([{ outcome, count: leadIds.length }]);
      for (const leadId of leadIds) expect((await gateway.get(`/api/leads/${leadId}?wait=30`)).body.state).toBe(state);
    });

    it.concurrent.each([
      ['/api/decisions', { verb: 'resend' }, 'Waiting leads cannot be resent: discard them, or redrive them with fields'],
      ['/api/redrives', {}, 'Waiting leads are redriven only with corrected fields'],
    ])('are not %s without what a waiting lead needs', async (path, what, message) => {
      const { status, body } = await gateway.post(path, { filter: { state: 'waiting' }, reason, ...what });
      expect([status, body.error.code, body.message]).toEqual([409, 'WRONG_STATE', message]);
    });
  });
});
