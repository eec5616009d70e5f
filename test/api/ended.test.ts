import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '../../src/domain/events';
import { workflowIdOf } from '../../src/domain/ids';
import { createEndedEvents } from '../../src/events/ended';
import type { Stop } from '../../src/runtime/process';
import { eraseUntilDone } from '../support/background';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

/** A lead whose run was ended outside of Leadgate, by Temporal's own tools, reads failed with RUN_ENDED wherever it is told. */
describe('an ended run', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    // Packages load some modules with their first call. Jest lets nothing load while concurrent tests run.
    await gateway.post(path, newLead());
  });
  afterAll(() => gateway.stop());

  const path = '/api/clinicsys/no-prescreen';
  const message = (how: string) =>
    `The run was ended outside of Leadgate (${how} in Temporal): check the upstream before you redrive the lead`;

  interface Sent {
    readonly leadId: string;
    readonly workflowId: string;
    readonly lead: ReturnType<typeof newLead>;
    readonly key: { readonly 'idempotency-key': string };
  }

  /** Each instance is of its own, so that the failures of one lead hold no other. */
  const standing = {
    parked: { sentinels: 'comment-422' },
    waiting: { instance: '.key-500' },
    verifying: { sentinels: 'v1-500' },
  };

  async function send({ sentinels = '', instance = '' }): Promise<Sent> {
    const instanceName = `erg-oct.${randomUUID().slice(0, 8)}${instance}`;
    const lead = newLead(sentinels, { instanceName, protocol: `P-${randomUUID()}` });
    const key = { 'idempotency-key': randomUUID() };
    const { headers } = await gateway.post(path, lead, { prefer: 'respond-async', ...key });
    return { lead, key, leadId: headers.get('x-lead-id') ?? '', workflowId: headers.get('x-workflow-id') ?? '' };
  }

  async function standingAt(state: keyof typeof standing): Promise<Sent> {
    const sent = await send(standing[state]);
    await until(async () => (await read(sent)).state === state, `the lead is ${state}`);
    return sent;
  }

  const read = async ({ leadId }: Pick<Sent, 'leadId'>, query = '') => (await gateway.get(`/api/leads/${leadId}${query}`)).body;
  const runOf = ({ workflowId }: Sent) => gateway.client.workflow.getHandle(workflowId);
  const terminate = (sent: Sent) => runOf(sent).terminate('a test');

  async function endedAt(state: keyof typeof standing): Promise<Sent> {
    const sent = await standingAt(state);
    await terminate(sent);
    return sent;
  }

  const listed = async (query: Record<string, string>, of: Sent) => {
    const protocol = String(of.lead.protocol);
    const { body } = await gateway.get(`/api/leads?${new URLSearchParams({ protocol, ...query }).toString()}`);
    return body.leads as { readonly leadId: string }[];
  };
  const countsOf = async (of: Sent, query = {}) => {
    const protocol = String(of.lead.protocol);
    return (await gateway.get(`/api/leads/counts?${new URLSearchParams({ protocol, ...query }).toString()}`)).body;
  };

  describe.each(['parked', 'waiting', 'verifying'] as const)('of a %s lead that was terminated', (state) => {
    it.concurrent('returns the lead as failed with its last steps, also to a repeat', async () => {
      const sent = await standingAt(state);
      const { steps, step } = await read(sent);
      await terminate(sent);
      const after = await read(sent);
      expect(after).toMatchObject({ state: 'failed', step, steps });
      expect(after).not.toHaveProperty('waitsFor');
      const error = { code: 'RUN_ENDED', message: message('terminated') };
      expect(after.attempts).toMatchObject([{ attempt: 1, state: 'failed', endedAt: after.updatedAt, error }]);
      expect(await read(sent, '?wait=30')).toEqual(after);

      const repeat = await gateway.post(path, sent.lead, sent.key);
      expect(repeat).toMatchObject({ status: 502, body: { leadId: sent.leadId, state: 'failed', message: error.message } });
      expect(repeat.body.error).toMatchObject({ code: 'RUN_ENDED', step, retryable: false });
      expect(repeat.headers.get('idempotency-replayed')).toBe('true');
      const other = await gateway.post(path, { ...sent.lead, lastName: 'Other' }, sent.key);
      expect(other.body).toMatchObject({ error: { code: 'IDEMPOTENCY_KEY_REUSED' }, leadId: sent.leadId, state: 'failed' });
    });

    it.concurrent('lists and counts the lead as failed only', async () => {
      const sent = await endedAt(state);
      const { leadId } = sent;
      const { updatedAt } = await read(sent);
      const shown = { leadId, state: 'failed', code: 'RUN_ENDED', updatedAt };
      const [whole] = await listed({}, sent);
      expect(whole).toMatchObject(shown);
      const filters: Record<string, string>[] = [
        { state: 'failed' },
        { code: 'RUN_ENDED' },
        { state: 'failed', code: 'RUN_ENDED' },
        { state: 'failed', flow: 'no-prescreen' },
        { code: 'RUN_ENDED', flow: 'no-prescreen' },
        { state: 'failed', email: sent.lead.email },
        { changedSince: updatedAt },
      ];
      for (const filter of filters) expect({ filter, leads: await listed(filter, sent) }).toEqual({ filter, leads: [whole] });
      for (const other of ['running', 'waiting', 'verifying', 'parked'])
        for (const filter of [{ state: other }, { state: other, code: 'RUN_ENDED' }] as Record<string, string>[])
          expect({ filter, leads: await listed(filter, sent) }).toEqual({ filter, leads: [] });
      const { upstream } = whole as unknown as { readonly upstream: string };
      expect(await listed({ upstream }, sent)).toEqual([whole]);
      for (const code of ['UPSTREAM_REJECTED', 'UPSTREAM_ERROR', 'OUTCOME_UNKNOWN']) expect(await listed({ code }, sent)).toEqual([]);

      const { counts, groups } = await countsOf(sent, { groups: 'true' });
      expect(Object.entries(counts).filter(([, count]) => count !== 0)).toEqual([['failed', 1]]);
      expect(groups).toEqual([{ state: 'failed', code: 'RUN_ENDED', upstream, count: 1 }]);
      expect((await countsOf(sent, { code: 'RUN_ENDED', groups: 'true' })).groups).toEqual(groups);
      expect((await countsOf(sent, { code: 'UPSTREAM_REJECTED', groups: 'true' })).groups).toEqual([]);
    });
  });

  it.concurrent('returns a lead that was cancelled in Temporal as failed, too', async () => {
    const sent = await standingAt('parked');
    const { steps } = await read(sent);
    await runOf(sent).cancel();
    const after = await until(async () => {
      const body = await read(sent);
      return body.state === 'failed' ? body : undefined;
    }, 'it has ended');
    expect(after).toMatchObject({ steps, attempts: [{ state: 'failed', error: { code: 'RUN_ENDED', message: message('cancelled') } }] });
    expect(await listed({ state: 'failed', code: 'RUN_ENDED' }, sent)).toHaveLength(1);
  });

  it('answers callers that wait for the lead', async () => {
    const sent = await send({ sentinels: 'v1-hold' });
    const isAtV1 = async () =>
      (await gateway.sandbox()).requests.some(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(sent.lead.email)));
    await until(isAtV1, 'it is at V1');
    const [waited, asked] = [read(sent, '?wait=60'), gateway.post(path, sent.lead, { ...sent.key, prefer: 'wait=60' })];
    await until(async () => (await gateway.get('/api/leads?state=running')).status === 200, 'both wait');
    await terminate(sent);
    expect(await waited).toMatchObject({ state: 'failed', attempts: [{ error: { code: 'RUN_ENDED' } }] });
    expect(await asked).toMatchObject({ status: 502, body: { error: { code: 'RUN_ENDED', retryable: false } } });
    await gateway.release();
  });

  it.concurrent('continues a lead that was reset in Temporal, and callers keep waiting for it', async () => {
    const sent = await standingAt('parked');
    const waited = read(sent, '?wait=60');
    const { events = [] } = await runOf(sent).fetchHistory();
    const done = events?.findLast(({ workflowTaskCompletedEventAttributes: task }) => task);
    const [workflowExecution, namespace] = [{ workflowId: sent.workflowId }, gateway.engine.namespace];
    await gateway.client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution, requestId: randomUUID(), reason: 'a test' },
      workflowTaskFinishEventId: done?.eventId,
    });
    expect(await waited).toMatchObject({ leadId: sent.leadId, state: 'parked' });
    expect(await read(sent)).toMatchObject({ leadId: sent.leadId, state: 'parked', attempts: [{ attempt: 1, state: 'parked' }] });
    await until(async () => (await listed({ state: 'parked' }, sent)).length === 1, 'the new run is listed');
    expect(await listed({ reference: sent.key['idempotency-key'] }, sent)).toHaveLength(1);
    expect((await countsOf(sent)).counts).toMatchObject({ parked: 1, failed: 0 });
  });

  it.concurrent('returns what the engine knows if no worker runs', async () => {
    const own = await startGateway({ withoutWorker: true });
    try {
      const stopWorker = await own.startWorker();
      const lead = newLead('comment-422');
      const { body, headers } = await own.post(path, lead, { 'idempotency-key': lead.email });
      const leadId = String(body.leadId);
      expect(body.state).toBe('parked');
      await stopWorker();
      await own.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').terminate();
      const told = (await own.get(`/api/leads/${leadId}`)).body;
      expect(told).toMatchObject({ leadId, flow: 'no-prescreen', state: 'failed', step: 'send-comments', steps: [] });
      expect(told).toMatchObject({ attempts: [{ state: 'failed', error: { code: 'RUN_ENDED', message: message('terminated') } }] });
      expect(await own.post(path, lead, { 'idempotency-key': lead.email })).toMatchObject({
        status: 502,
        body: { leadId, state: 'failed', error: { code: 'RUN_ENDED', retryable: false } },
      });
    } finally {
      await own.stop();
    }
  });

  it.concurrent('counts as failed in bulk orders, exports and metrics', async () => {
    const own = await startGateway();
    try {
      const lead = newLead('comment-422', { protocol: 'P-1' });
      const { body, headers } = await own.post(path, lead);
      await own.client.workflow.getHandle(headers.get('x-workflow-id') ?? '').terminate();
      const { leadId } = (await own.get(`/api/leads/${body.leadId}`)).body;
      const all = { filter: { email: lead.email }, reason: 'a test' };
      expect((await own.post('/api/redrives', all)).body).toMatchObject({ count: 1, sample: [leadId] });
      expect((await own.post('/api/decisions', { ...all, verb: 'resend' })).body).toMatchObject({ count: 0 });
      const file = await own.get(`/api/leads.csv?state=failed&email=${encodeURIComponent(lead.email)}`);
      expect(String(file.body)).toContain(`${leadId},failed,no-prescreen`);
      const metrics = String((await own.get('/metrics')).body);
      expect(metrics).toContain('leadgate_leads{flow="no-prescreen",state="failed"} 1');
      expect(metrics).toContain('leadgate_leads{flow="no-prescreen",state="parked"} 0');
    } finally {
      await own.stop();
    }
  });

  describe('a redrive of a lead whose run was ended', () => {
    const redrive = (sent: Sent, more = {}, headers = {}) =>
      gateway.post(`/api/leads/${sent.leadId}/redrive`, { reason: 'ended by mistake', ...more }, headers);
    const sendsOf = async ({ lead }: Sent) =>
      (await gateway.sandbox()).requests.filter(({ call, body }) => call === 'v1' && body.includes(encodeURIComponent(lead.email))).length;
    const refused = (sought: string) => ({
      status: 409,
      body: {
        error: { code: 'WRONG_STATE' },
        message: `Its run was ended outside of Leadgate and may have sent it: look for ${sought}. If nothing is there, "notThere": true redrives it`,
      },
    });

    it.concurrent('sends the lead without confirmation if nothing was sent', async () => {
      const sent = await endedAt('waiting');
      expect(await redrive(sent, { fields: { instanceName: 'erg-oct' } })).toMatchObject({ status: 200, body: { state: 'running' } });
      const after = await read(sent, '?wait=60');
      expect(after).toMatchObject({
        state: 'delivered',
        attempts: [{ state: 'failed', error: { code: 'RUN_ENDED' } }, { state: 'delivered' }],
      });
      expect(await sendsOf(sent)).toBe(1);
      expect(await listed({}, sent)).toMatchObject([{ leadId: sent.leadId, state: 'delivered' }]);
      expect((await countsOf(sent)).counts).toMatchObject({ delivered: 1, failed: 0 });
    });

    it.concurrent('sends the lead without confirmation if no send can have arrived', async () => {
      const sent = await send({ sentinels: 'v1-429' });
      await until(async () => (await read(sent)).state === 'waiting', 'it waits');
      await terminate(sent);
      expect((await redrive(sent, { fields: newLead() })).status).toBe(200);
      expect(await read(sent, '?wait=60')).toMatchObject({ state: 'delivered' });
    });

    it.concurrent('sends the lead without confirmation if a pause kept its send back', async () => {
      const instanceName = `erg-oct.${randomUUID().slice(0, 8)}`;
      const paused = { upstream: 'V1', instance: `ERG/${instanceName}`, reason: 'a test' };
      expect((await gateway.post('/api/upstreams/pause', paused)).status).toBe(200);
      const { headers } = await gateway.post(path, newLead('', { instanceName }), { prefer: 'respond-async' });
      const sent = { leadId: headers.get('x-lead-id') ?? '', workflowId: headers.get('x-workflow-id') ?? '' };
      await until(async () => (await read(sent)).waitsFor?.what === 'pause', 'it waits');
      await gateway.client.workflow.getHandle(sent.workflowId).terminate('a test');
      const order = { reason: 'ended by mistake', fields: { instanceName: 'erg-oct' } };
      expect((await gateway.post(`/api/leads/${sent.leadId}/redrive`, order)).status).toBe(200);
      expect(await read(sent, '?wait=60')).toMatchObject({ state: 'delivered' });
    });

    it.concurrent.each([
      ['parked', 'the person in the site system'],
      ['verifying', 'the person in the site system'],
    ] as const)('of a %s lead needs the word of a person that it is not there', async (state, sought) => {
      const sent = await endedAt(state);
      const sends = await sendsOf(sent);
      const key = { 'idempotency-key': randomUUID() };
      const fields = { ...sent.lead, email: newLead().email, protocol: sent.lead.protocol };
      expect(await redrive(sent, { fields })).toMatchObject(refused(sought));
      expect(await redrive(sent, { fields, notThere: false })).toMatchObject(refused(sought));
      expect((await read(sent)).attempts).toHaveLength(1);
      expect(await sendsOf(sent)).toBe(sends);
      expect(await redrive(sent, { fields, notThere: true }, key)).toMatchObject({ status: 200, body: { state: 'running' } });
      expect(await read(sent, '?wait=60')).toMatchObject({ state: 'delivered' });
      const again = await redrive(sent, { fields, notThere: true }, key);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(await redrive(sent, { fields, notThere: true })).toMatchObject({
        status: 409,
        body: { message: 'The lead has not failed: it is delivered' },
      });
      const { entries } = (await gateway.get(`/api/audit?leadId=${sent.leadId}`)).body;
      expect(entries).toContainEqual(expect.objectContaining({ action: 'redrive', outcome: 'done', notThere: true }));
      expect(entries).toContainEqual(expect.objectContaining({ action: 'redrive', outcome: 'WRONG_STATE' }));
    });

    it('needs confirmation while a send is in flight', async () => {
      const sent = await send({ sentinels: 'v1-hold' });
      await until(async () => (await sendsOf(sent)) === 1, 'it is at V1');
      await terminate(sent);
      expect(await redrive(sent)).toMatchObject(refused('the person in the site system'));
      await gateway.release();
    });

    it.concurrent('refuses such a lead in a bulk order, unless the order confirms that it is not in the upstream', async () => {
      const sent = await endedAt('parked');
      const order = { filter: { protocol: String(sent.lead.protocol) }, reason: 'ended by mistake', fields: { email: newLead().email } };
      const carried = async (more = {}) => {
        const counted = await until(async () => {
          const { body } = await gateway.post('/api/redrives', { ...order, ...more });
          return body.count === 1 ? body : undefined;
        }, 'it is counted');
        const { body } = await gateway.post('/api/redrives', { ...order, ...more, count: counted.count, ratePerS: 50 });
        return until(async () => {
          const report = (await gateway.get(`/api/redrives/${body.redriveId}`)).body;
          return report.state === 'done' ? report : undefined;
        }, 'the order is carried out');
      };
      const { message: why } = refused('the person in the site system').body;
      expect((await carried()).results).toMatchObject([{ leadId: sent.leadId, outcome: 'wrong-state', code: 'WRONG_STATE', message: why }]);
      expect((await carried({ notThere: true })).results).toMatchObject([{ leadId: sent.leadId, outcome: 'started' }]);
      expect((await read(sent, '?wait=60')).attempts).toHaveLength(2);
      const { entries } = (await gateway.get(`/api/audit?leadId=${sent.leadId}`)).body;
      expect(entries).toContainEqual(expect.objectContaining({ action: 'redrive', outcome: 'started', notThere: true }));
    });
  });
});

/** The end of a lead whose run was ended outside of Leadgate is told once, after the lead's other events. */
describe('the event of an ended run', () => {
  const EVENTS_WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const path = '/api/clinicsys/no-prescreen';

  let gateway: Gateway;
  let receiver: Upstream;
  let stopWorker: Stop;
  beforeAll(async () => {
    receiver = await openUpstream();
    gateway = await startGateway({
      withoutWorker: true,
      settings: { EVENTS_WEBHOOK_URL: `${receiver.url}/all`, EVENTS_WEBHOOK_SECRET, EVENTS_HOSTS: '127.0.0.1' },
    });
    stopWorker = await gateway.startWorker();
  });
  afterAll(async () => {
    await gateway?.stop();
    await receiver?.close();
  });

  const toldOf = (leadId: string) =>
    receiver.received
      .filter(({ body }) => body.data.leadId === leadId)
      .map(({ body, headers }) => ({ id: String(headers['webhook-id']), ...(body as { type: string; data: object }) }));
  const untilTold = (leadId: string, types: string) =>
    until(
      () =>
        toldOf(leadId)
          .map(({ type }) => type.replace('lead.', ''))
          .join() === types,
      `${types} are told`,
    );

  async function endedLead(lead = newLead('comment-422')) {
    const { headers } = await gateway.post(path, lead);
    const leadId = headers.get('x-lead-id') ?? '';
    await untilTold(leadId, 'accepted,parked');
    await gateway.client.workflow.getHandle(workflowIdOf(leadId)).terminate('a test');
    return { leadId, lead };
  }

  async function untilEndListed(leadId: string) {
    const isListed = `WorkflowId = '${workflowIdOf(leadId)}' AND ExecutionStatus != 'Running'`;
    await until(async () => (await gateway.client.workflow.count(isListed)).count > 0, 'its end is listed');
  }

  /** What a worker does every minute. */
  async function look(leadId: string) {
    await untilEndListed(leadId);
    await createEndedEvents(gateway).publishMissing();
  }

  it('is sent once, however often the worker looks, and also after the outbox has ended', async () => {
    const { leadId } = await endedLead();
    await gateway.client.workflow.getHandle(`events-${leadId}`).result();
    await Promise.all([look(leadId), look(leadId)]);
    await look(leadId);
    await untilTold(leadId, 'accepted,parked,failed');
    const stored = await gateway.client.workflow.getHandle<() => Promise<StoredEvent[]>>(`events-${leadId}`).result();
    await look(leadId);
    expect(stored.map(({ id }) => id)).toEqual(['1-accepted', '2-parked', '3-failed'].map((end) => `${leadId}-1-${end}`));
    const { events } = (await gateway.get(`/api/leads/${leadId}/events`)).body;
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['lead.accepted', 'lead.parked', 'lead.failed']);
    expect(toldOf(leadId)).toHaveLength(3);
  });

  it('is sent before the events of a redrive that comes first', async () => {
    const { leadId } = await endedLead();
    const order = { reason: 'not there', notThere: true, fields: newLead() };
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, order)).status).toBe(200);
    await untilTold(leadId, 'accepted,parked,failed,redriven,delivered');
    await look(leadId);
    expect(toldOf(leadId).map(({ id }) => id)).toEqual(
      ['1-1-accepted', '1-2-parked', '1-3-failed', '2-1-redriven', '2-2-delivered'].map((end) => `${leadId}-${end}`),
    );
  });

  it('is not sent for a lead that failed itself or was erased', async () => {
    const { headers } = await gateway.post(path, newLead('v1-refused'));
    const failedId = headers.get('x-lead-id') ?? '';
    await untilTold(failedId, 'accepted,failed');
    const { leadId, lead } = await endedLead();
    await eraseUntilDone(gateway, { email: lead.email });
    await look(failedId);
    expect(toldOf(failedId)).toHaveLength(2);
    expect(toldOf(leadId)).toHaveLength(2);
  });

  it('is sent when a worker starts, also to the callback URL of the lead', async () => {
    const callback = await openUpstream();
    try {
      const { headers } = await gateway.post(path, newLead('comment-422'), { 'x-callback-url': `${callback.url}/hook` });
      const leadId = headers.get('x-lead-id') ?? '';
      await untilTold(leadId, 'accepted,parked');
      await gateway.client.workflow.getHandle(`events-${leadId}`).result();
      await stopWorker();
      await gateway.client.workflow.getHandle(workflowIdOf(leadId)).terminate('a test');
      await untilEndListed(leadId);
      stopWorker = await gateway.startWorker();
      await untilTold(leadId, 'accepted,parked,failed');
      await until(() => callback.received.length === 3, 'the callback is told');
      const { updatedAt, attempts } = (await gateway.get(`/api/leads/${leadId}`)).body;
      const [{ error }] = attempts;
      expect(error.code).toBe('RUN_ENDED');
      expect(toldOf(leadId).at(-1)).toMatchObject({
        id: `${leadId}-1-3-failed`,
        timestamp: updatedAt,
        data: { leadId, flow: 'no-prescreen', state: 'failed', step: 'send-comments', site: 'erg-oct', protocol: 'AD-301', error },
      });
    } finally {
      await callback.close();
    }
  });
});
