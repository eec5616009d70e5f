/** What is told of a lead that is under way or has just been, and what holds while its run goes on for long. */
import { chainOf } from '../../src/leads/runs';
import { newestRun } from '../../src/leads/attempts';
import { createSamePersonCount } from '../../src/leads/same-person';
import { patientOf } from '../support/background';
import { sendFailing } from '../support/failing-leads';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { callers, keyOf } from '../support/keys';
import { until } from '../support/until';

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ settings: { SYNC_WAIT_MS: '60000' } })));
afterAll(() => gateway.stop());

/** An open lead tells what it waits for and when it is tried next, by the API and in the current details of the Temporal UI. */
describe('waits', () => {
  interface Asked {
    readonly leadId: string;
    readonly workflowId: string;
    readonly email: string;
  }

  async function post(lead: ReturnType<typeof newLead>): Promise<Asked> {
    const { headers } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async' });
    return { leadId: headers.get('x-lead-id') ?? '', workflowId: headers.get('x-workflow-id') ?? '', email: lead.email };
  }

  /** The engine's own query, by which the Temporal UI shows the current details. */
  const metadata = '__temporal_workflow_metadata';

  async function details(workflowId: string): Promise<string> {
    const { currentDetails } = await gateway.client.workflow.getHandle(workflowId).query<{ readonly currentDetails?: string }>(metadata);
    return currentDetails ?? '';
  }

  /** The lead's answer and its current details, once both tell of this wait. */
  const waiting = ({ leadId, workflowId }: Asked, what: string) =>
    until(async () => {
      const [{ body }, shown] = await Promise.all([gateway.get(`/api/leads/${leadId}`), details(workflowId)]);
      return body.waitsFor?.what === what && shown.includes(body.waitsFor.words) ? { body, shown } : undefined;
    }, `it waits for its ${what}`);

  it.each([
    ['retry', newLead('', { instanceName: 'erg-oct.key-500' }), 'waiting'],
    ['look-up', newLead('v1-500'), 'verifying'],
  ])('%s: it tells the moment of its next try', async (what, lead, state) => {
    const asked = await post(lead);
    const { shown } = await waiting(asked, what);
    // Of a read that the engine tries again, only the engine knows the moment.
    const body = await until(async () => {
      const read = (await gateway.get(`/api/leads/${asked.leadId}`)).body;
      return read.waitsFor?.nextTryAt ? read : undefined;
    }, 'it tells the moment');
    expect(body.state).toBe(state);
    expect(Date.parse(body.waitsFor.nextTryAt)).toBeGreaterThan(Date.parse(body.createdAt));
    expect(shown).toMatch(new RegExp(`^\\*\\*${state}\\*\\* at [\\w-]+: Waits for its next `));
    expect(shown).not.toContain(asked.email);
  });

  it('for a hold: returns the held upstream and the time of the next try', async () => {
    await sendFailing(gateway, 'erg-oct.key-429');
    const asked = await post(newLead('', { instanceName: 'erg-oct.key-429' }));
    const { body } = await waiting(asked, 'hold');
    expect(body.waitsFor).toMatchObject({ upstream: 'key-service', instance: 'ERG/erg-oct.key-429' });
    await until(async () => (await gateway.get(`/api/leads/${asked.leadId}`)).body.waitsFor?.nextTryAt, 'the moment');
    const hold = `hold:${gateway.config.TASK_QUEUE}:key-service:ERG/erg-oct.key-429`;
    expect(await details(hold)).toMatch(/^key-service ERG\/erg-oct\.key-429 is (held|probing); waiting leads: [0-4]/);
  });

  it('for a decision and the person lock: the second lead of a person waits for the first, which is parked', async () => {
    const first = newLead('comment-422');
    const parked = await post(first);
    const { body, shown } = await waiting(parked, 'decision');
    expect(body).toMatchObject({ state: 'parked', waitsFor: { words: "Waits for a person's decision" } });
    expect(shown).toBe("**parked** at send-comments: Waits for a person's decision");
    const second = await post({ ...first, protocol: 'another' });
    const parkedWords = 'aits for another lead of the same person, which is parked: a person must decide about that one first';
    const { body: behind } = await waiting(second, 'person-lock');
    expect(behind).toMatchObject({ state: 'waiting', waitsFor: { words: `W${parkedWords}` } });
    // Nothing sends it by itself.
    const repeat = await gateway.post('/api/clinicsys/no-prescreen', { ...first, protocol: 'another' }, { prefer: 'wait=1' });
    expect([repeat.status, repeat.body.message]).toEqual([202, `The lead is not sent yet: it w${parkedWords}`]);
    await gateway.post(`/api/leads/${parked.leadId}/discard`, { reason: 'a test' });
  });

  it('a lead that has ended waits for nothing', async () => {
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
    expect((await gateway.get(`/api/leads/${body.leadId}`)).body).not.toHaveProperty('waitsFor');
  });

  it('stores the current details encrypted', async () => {
    const { workflowId } = await post(newLead('comment-422'));
    const { client } = gateway;
    const { queryResult } = await client.workflowService.queryWorkflow({
      namespace: client.options.namespace,
      execution: { workflowId },
      query: { queryType: metadata },
    });
    const [payload] = queryResult?.payloads ?? [];
    expect(Buffer.from(payload?.metadata?.encoding ?? []).toString()).toBe('binary/encrypted');
  });
});

/** A lead that waits for long, and is tried again and again, continues in a new run before its history grows long, as the same lead. */
describe('a long history', () => {
  /** Far below the engine's limit of 51,200. */
  const eventsMost = 2_000;
  /** Enough for two runs to grow long. */
  const tries = 260;

  async function waitingLead(sentinels: string, fields: Record<string, unknown>) {
    const lead = newLead(sentinels, fields);
    const { body } = await gateway.post('/api/clinicsys/no-prescreen', lead, { prefer: 'respond-async', 'idempotency-key': lead.email });
    await until(async () => (await stateOf(body.leadId)) === 'waiting', 'the lead waits');
    return { lead, leadId: String(body.leadId) };
  }

  const stateOf = async (leadId: string) => (await gateway.get(`/api/leads/${leadId}`)).body.state;

  /** A try may find the lead at work: then nothing is done. */
  const tryNow = (leadId: string) => gateway.post(`/api/leads/${leadId}/try`, { reason: 'a loop' });

  const chain = async (leadId: string) => chainOf(gateway.client, await newestRun(gateway.client, leadId));

  async function runsOf(leadId: string) {
    return Promise.all(
      (await chain(leadId)).map(
        async ({ workflowId, runId }) => (await gateway.client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [],
      ),
    );
  }

  /** Holds V1 of an instance; the lead that comes next waits there alone. */
  async function holdFor(instanceName: string, sentinel: string): Promise<void> {
    const isHeld = async () => JSON.stringify((await gateway.get('/api/upstreams')).body).includes(`ERG/${instanceName}`);
    const leads = await sendFailing(gateway, instanceName, sentinel);
    await until(isHeld, 'it is held');
    for (const leadId of leads)
      await until(async () => (await gateway.post(`/api/leads/${leadId}/discard`, { reason: 'a test' })).status === 200, 'it is ended');
  }

  it.each([
    // Each has an instance of its own, so that its failures hold no lead of the other. One of them continues twice.
    ['a read that the engine tries again', `lookup-503-x${tries * 4}`, 'erg-oct.read', 'check-email', 2],
    ['a send before its held upstream', `v1-429-x${tries * 4}`, 'erg-oct.send', 'send-to-rt', 3],
  ])(
    '%s',
    async (_what, sentinel, instanceName, step, wantedRuns) => {
      if (step === 'send-to-rt') await holdFor(instanceName, sentinel);
      const { lead, leadId } = await waitingLead(sentinel, { instanceName });
      const before = await gateway.get(`/api/leads/${leadId}`);
      for (let done = 1; done <= 4 * tries; done++) {
        await tryNow(leadId);
        if (done % 20 === 0 && (await chain(leadId)).length >= wantedRuns) break;
      }
      const runs = await runsOf(leadId);
      expect(runs.length).toBeGreaterThanOrEqual(wantedRuns);
      expect(Math.max(...runs.map((events) => events.length))).toBeLessThan(eventsMost);

      const { body } = await gateway.get(`/api/leads/${leadId}`);
      expect(body).toMatchObject({ leadId, step, createdAt: before.body.createdAt });
      const repeat = await gateway.post('/api/clinicsys/no-prescreen', lead, { 'idempotency-key': lead.email, prefer: 'wait=0' });
      expect([repeat.status, repeat.body.leadId, repeat.headers.get('idempotency-replayed')]).toEqual([202, leadId, 'true']);
      const listed = await gateway.get(`/api/leads?email=${encodeURIComponent(lead.email)}`);
      expect(listed.body.leads.map((one: { leadId: string }) => one.leadId)).toEqual([leadId]);
      const { body: told } = await gateway.get(`/api/leads/${leadId}/exchanges`);
      expect(told.exchanges.filter((one: { step: string }) => one.step === 'get-api-key').length).toBeGreaterThan(0);
      expect(told.decisions.length).toBeGreaterThan(25 * (wantedRuns - 1));
    },
    240_000,
  );
});

/** What is looked for after an answer that did not arrive, and whose it is. */
describe('the look-up of a comment', () => {
  const noPrescreen = '/api/clinicsys/no-prescreen';
  const withPrescreen = '/api/clinicsys/with-prescreen';

  async function callsOf(name: string, word: string): Promise<number> {
    const { requests } = await gateway.sandbox();
    const encoded = encodeURIComponent(word);
    return requests.filter(
      ({ call, url, body }) => call === name && [url, body].some((text) => text.includes(encoded) || text.includes(word)),
    ).length;
  }

  describe('a comment that may have been written', () => {
    it.concurrent('is found by the second look-up if the first one fails', async () => {
      const protocol = `late ${Date.now()}`;
      const lead = newLead('comment-reset-after-once+readback-500-once', { protocol, instanceName: 'erg-oct.late' });
      const { status, body } = await gateway.post(noPrescreen, lead);
      expect(status).toBe(200);
      expect(body.rtV2Response.data.comment).toContain(protocol);
      expect(await callsOf('comment', protocol)).toBe(1);
    });

    it.concurrent('is found with a new key if the site system rejects the first one', async () => {
      const { status, body } = await gateway.post(noPrescreen, newLead('comment-500-after+readback-revoked'));
      expect([status, body.state]).toEqual([200, undefined]);
    });

    it.concurrent('is not confused with an earlier one with the same text', async () => {
      const lead = newLead();
      expect((await gateway.post(noPrescreen, lead)).status).toBe(200);
      const again = await gateway.post(noPrescreen, { ...lead, instanceName: 'erg-oct.comment-reset' });
      expect([again.status, again.body.state, again.body.error.code]).toEqual([502, 'parked', 'OUTCOME_UNKNOWN']);
    });

    it.concurrent('is found beside an earlier one with the same text', async () => {
      const lead = newLead();
      expect((await gateway.post(withPrescreen, lead)).status).toBe(200);
      const again = await gateway.post(noPrescreen, { ...lead, instanceName: 'erg-oct.comment-reset-after' });
      expect(again.status).toBe(200);
    });
  });

  it.concurrent('does not count a subject that another lead of the person created', async () => {
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

  it.concurrent('considers a lead that has ended, unless the run itself looked up the subjects before', async () => {
    const { body } = await gateway.post(noPrescreen, newLead());
    const count = createSamePersonCount(gateway.client, gateway.keys);
    const asking = { email: newLead().email, subjectId: body.rtResponse.PatientID, instanceName: 'erg-oct' };
    const moments = [undefined, body.created, new Date(Date.now() + 60_000)].map((moment) => moment && new Date(moment).toISOString());
    const counts = await Promise.all(moments.map((since) => count('', { ...asking, since })));
    expect(counts.map(({ arrived }) => arrived)).toEqual([1, 1, 0]);
  });

  it.concurrent('considers a lead whose site is masked because it contains a word of the e-mail', async () => {
    const lead = newLead();
    const email = `oct.${lead.email}`;
    const { body } = await gateway.post(noPrescreen, { ...lead, email });
    const count = createSamePersonCount(gateway.client, gateway.keys);
    const asking = { email: newLead().email, subjectId: body.rtResponse.PatientID, instanceName: 'erg-oct', since: undefined };
    expect((await count('', asking)).arrived).toBe(1);
    const { leads } = (await gateway.get(`/api/leads?email=${encodeURIComponent(email)}&instanceName=ERG-oct`)).body;
    expect([leads.length, leads[0].site]).toEqual([1, undefined]);
    expect((await gateway.get(`/api/leads?email=${encodeURIComponent(email)}&instanceName=erg-otc`)).body.count).toBe(0);
    const erased = () => gateway.post('/api/erase', { email, instanceName: 'erg-oct', reason: 'a test' });
    expect((await until(async () => ((one) => (one.status === 200 ? one : undefined))(await erased()), 'it is erased')).body.leads).toBe(1);
  });

  it.concurrent('considers a comment of a single step by its patient, also without an e-mail', async () => {
    const { rtResponse } = (await gateway.post(noPrescreen, newLead())).body;
    const step = { instanceName: 'erg-oct', key: 'any', phone: '5552013344', rtResponse };
    expect((await gateway.post('/api/clinicsys/no-prescreen/send-comments', step)).status).toBe(200);
    const count = createSamePersonCount(gateway.client, gateway.keys);
    const { commented } = await count('', { email: '', subjectId: rtResponse.PatientID, instanceName: 'erg-oct' });
    expect(commented).toBe(2);
  });
});

describe('exchanges', () => {
  const noPrescreen = '/api/clinicsys/no-prescreen';
  let gateway: Gateway;
  beforeAll(
    async () =>
      void (gateway = await startGateway({
        settings: { KEY_CACHE_TTL_S: '60', GATEWAY_API_KEYS: callers('tool:leads', 'chief:leads+operator') },
      })),
  );
  afterAll(() => gateway.stop());

  const chief = { 'x-gateway-key': keyOf('chief') };
  const send = async (path: string, body: object) => (await gateway.post(path, body, chief)).headers.get('x-lead-id') ?? '';
  const story = async (leadId: string, query = '') => (await gateway.get(`/api/leads/${leadId}/exchanges${query}`, chief)).body;
  const callsOf = ({ exchanges }: { exchanges: readonly { call: string }[] }) => exchanges.map(({ call }) => call);

  describe('the exchanges of a lead', () => {
    it('are listed in order', async () => {
      const told = await story(await send(noPrescreen, newLead()));
      expect(callsOf(told)).toEqual(['getApiKey', 'checkEmail', 'formatData', 'sendToRt', 'sendComments']);
      expect(told.exchanges.map(({ step }: { step: string }) => step)).toEqual([
        'get-api-key',
        'check-email',
        'format-data',
        'send-to-rt',
        'send-comments',
      ]);
      expect(told).toMatchObject({ success: true, clear: false, flow: 'no-prescreen', decisions: [] });
    });

    it('are masked, or recorded on the audit trail if read in clear', async () => {
      const lead = newLead();
      const leadId = await send(noPrescreen, lead);
      const masked = JSON.stringify(await story(leadId));
      for (const word of [lead.email, 'Lee', '201-3344', '1980-03-05', 'Eczema']) expect(masked).not.toContain(word);
      const clear = await story(leadId, '?clear=true');
      expect(clear.lead).toEqual(lead);
      expect(clear.exchanges[3].request).toMatchObject({ FirstName: 'Ann', Phone: '555-201-3344', DOB: '1980-03-05' });
      expect(clear.exchanges[3].answer).toMatchObject({ status: 0, PatientID: expect.any(Number) });
      const { subjectId, comment } = clear.exchanges[4].answer.data;
      expect(clear.exchanges[4].request).toEqual({ subjectId, comment });
      expect(comment).toContain('Eczema');
      const { entries } = (await gateway.get(`/api/audit?leadId=${leadId}`, chief)).body;
      expect(entries).toEqual([expect.objectContaining({ who: 'chief', action: 'read in clear', outcome: 'done' })]);
    });

    it('have the HTTP status, the start and the end', async () => {
      const fresh = { instanceName: 'erg-tampa' };
      const { exchanges } = await story(await send(noPrescreen, newLead('', fresh)));
      const statusesOf = (told: { status?: number }[]) => told.map(({ status }) => status);
      expect(statusesOf(exchanges)).toEqual([200, 200, undefined, 200, 201]);
      const withCachedKey = await story(await send(noPrescreen, newLead('', fresh)));
      expect(statusesOf(withCachedKey.exchanges)).toEqual([undefined, 200, undefined, 200, 201]);
      const times = exchanges.flatMap(({ startedAt, endedAt }: Record<string, string>) => [startedAt, endedAt]);
      expect(times).toEqual(times.toSorted());
      expect(times).not.toContain(undefined);
      expect(JSON.stringify(exchanges)).not.toContain('httpStatus');
    });

    it('have the status of an inconclusive answer, whose body is not stored', async () => {
      const { exchanges } = await story(await send(noPrescreen, newLead('comment-500-once+readback-405')));
      const [comment] = exchanges.filter(({ call }: { call: string }) => call === 'sendComments');
      expect(comment).toMatchObject({ status: 500, error: { code: 'UNKNOWN', status: 500 } });
      expect(comment).not.toHaveProperty('answer');
    });

    it('show the messages of a rejection, also masked, unless they may contain data of the lead', async () => {
      const refused = (fields: object) => send(noPrescreen, newLead('', { instanceName: 'erg-oct.v1-refused', ...fields }));
      const answerOf = async (leadId: string) => (await story(leadId)).exchanges.at(-1).answer;
      expect(await answerOf(await refused({}))).toEqual({ status: 1, message: 'The lead was refused' });
      expect(await answerOf(await refused({ lastName: 'Refused' }))).toEqual({ status: 1, message: '•••' });
    });

    it('contain no credential, even in clear', async () => {
      const patient = { siteId: 12, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', email: 'bo.ray@example.org' };
      const leadId = await send('/api/recruit/send-to-recruit', { ...patient, bearerToken: 'tok-31415' });
      const told = await story(leadId, '?clear=true');
      expect(told.lead.bearerToken).toBe('[secret]');
      expect(told.exchanges[0].request).toMatchObject({ siteId: '12', patientInfo: expect.any(Object) });
      expect(JSON.stringify(told)).not.toContain('tok-31415');
      const { key } = (await gateway.post('/api/clinicsys/no-prescreen/get-api-key', { instanceName: 'erg-oct' }, chief)).body;
      const site = await story(await send(noPrescreen, newLead()), '?clear=true');
      expect(key).toMatch(/^sandbox-key-/);
      expect(JSON.stringify(site)).not.toContain('sandbox-key-');
    });

    it('mark the field that the upstream names', async () => {
      const patient = { siteId: 9999, clientId: 'c', environment: 'us', firstName: 'Bo', lastName: 'Ray', email: 'bo2@example.org' };
      const told = await story(await send('/api/recruit/send-to-recruit', { ...patient, bearerToken: 'tok' }));
      expect(told.exchanges).toMatchObject([
        { call: 'forwardLead', step: 'send', fields: ['siteId'], error: { code: 'REFUSED', message: expect.any(String) } },
      ]);
    });

    it('include the decisions with their reasons', async () => {
      const leadId = await send(noPrescreen, newLead('comment-422-once'));
      await gateway.post(`/api/leads/${leadId}/resend`, { reason: 'it is mended' }, chief);
      await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
      const told = await story(leadId);
      expect(told.decisions).toMatchObject([{ verb: 'resend', reason: 'it is mended', at: expect.any(String) }]);
      expect(callsOf(told).slice(4)).toEqual(['sendComments', 'sendComments']);
      expect(told.exchanges[4].error).toMatchObject({ code: 'REFUSED', status: 422 });
    });

    it.each([['confirm'], ['discard'], ['resend']])('have the key that decided: %s', async (verb) => {
      const leadId = await send(noPrescreen, newLead('comment-422'));
      const more = verb === 'confirm' ? { upstreamId: await patientOf(gateway, leadId, chief) } : {};
      expect((await gateway.post(`/api/leads/${leadId}/${verb}`, { reason: 'looked it up', ...more }, chief)).status).toBe(200);
      expect((await story(leadId)).decisions).toEqual([{ at: expect.any(String), verb, reason: 'looked it up', by: 'chief', ...more }]);
    });

    it('have the key and the reason of a redrive', async () => {
      const leadId = await send(noPrescreen, newLead('v1-refused-once'));
      await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'V1 is well again' }, chief);
      await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
      const { decisions, exchanges } = await story(leadId);
      expect(decisions).toEqual([{ at: expect.stringMatching(/^\d{4}-.*Z$/), verb: 'redrive', reason: 'V1 is well again', by: 'chief' }]);
      expect(decisions[0].at <= exchanges[3].endedAt).toBe(true);
    });

    it('are separate for each attempt, with its steps', async () => {
      const failing = newLead('', { instanceName: 'erg-oct.key-404' });
      const leadId = await send(noPrescreen, failing);
      await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'mistyped', fields: { instanceName: 'erg-oct' } }, chief);
      await until(async () => (await gateway.get(`/api/leads/${leadId}`, chief)).body.state === 'delivered', 'delivered');
      const statesOf = ({ steps }: { steps: readonly { state: string }[] }) => steps.map(({ state }) => state);
      const first = await story(leadId, '?attempt=1');
      expect(first).toMatchObject({ attempt: 1, lead: { instanceName: 'erg-oct.key-404' }, decisions: [] });
      expect([callsOf(first), statesOf(first)]).toEqual([['getApiKey'], ['failed', 'pending', 'pending', 'pending', 'pending']]);
      const newest = await story(leadId);
      expect(newest).toMatchObject({ attempt: 2, lead: { instanceName: 'erg-oct' }, decisions: [{ verb: 'redrive' }] });
      expect(statesOf(newest)).toEqual(['done', 'done', 'done', 'done', 'done']);
      expect((await gateway.get(`/api/leads/${leadId}/exchanges?attempt=3`, chief)).body).toMatchObject({
        message: 'The lead does not have this attempt. Its attempts: 1, 2',
      });
    });

    it('have the fields that a redrive changed, before and after, masked or in clear', async () => {
      const failing = newLead('', { instanceName: 'erg-oct.key-404' });
      const leadId = await send(noPrescreen, failing);
      const fields = { instanceName: 'erg-oct', firstName: 'Bea', race: 'Other' };
      await gateway.post(`/api/leads/${leadId}/redrive`, { reason: 'mistyped', fields }, chief);
      const instance = { field: 'instanceName', before: 'erg-oct.key-404', after: 'erg-oct' };
      const masked = [instance, { field: 'firstName', before: 'A…', after: 'B…' }, { field: 'race', after: '•••' }];
      expect((await story(leadId, '?attempt=2')).mended).toEqual(masked);
      const clear = [instance, { field: 'firstName', before: 'Ann', after: 'Bea' }, { field: 'race', after: 'Other' }];
      expect((await story(leadId, '?attempt=2&clear=true')).mended).toEqual(clear);
      expect(await story(leadId, '?attempt=1')).not.toHaveProperty('mended');
    });

    it('are only for operators, and only for existing leads', async () => {
      const leadId = await send(noPrescreen, newLead());
      expect((await gateway.get(`/api/leads/${leadId}/exchanges`, { 'x-gateway-key': keyOf('tool') })).status).toBe(403);
      expect((await gateway.get('/api/leads/b00000000000000000000-0000000000/exchanges', chief)).status).toBe(404);
      expect((await gateway.get(`/api/leads/${leadId}/exchanges?clear=perhaps`, chief)).status).toBe(400);
    });
  });
});
