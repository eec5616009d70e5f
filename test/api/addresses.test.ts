/** Where a lead is sent: to the addresses that are set, as they were when it came in. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

/** Group E byte by byte over the wire, to upstreams that only answer as they are told. */
describe('on the wire', () => {
  interface Seen {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }

  /** A function makes the body of what came in so far. */
  type Answers = readonly (readonly [path: string, body: unknown])[];
  type StatusOf = (seen: readonly Seen[]) => number;

  /** The four calls of a lead, answered as the contract says; what came in is kept. */
  async function openSiteSystem(told: Answers = [], statusOf: StatusOf = () => 200) {
    const seen: Seen[] = [];
    let now = { told, statusOf };
    const usual: Answers = [
      ['/hook', { key: 'the-key' }],
      ['/comments', { data: { subjectId: '7', comment: 'c' }, error: {}, links: {} }],
      ['/subjects', { data: [], error: {}, meta: { totalItems: 0 }, links: {} }],
      ['/apply', { status: '0', PatientID: '7', message: 'added' }],
      ['/sites', { data: [{ siteId: 1 }], error: {}, meta: {} }],
    ];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
        const [, body] = [...now.told, ...usual].find(([path]) => url.includes(path)) ?? [];
        response
          .writeHead(now.statusOf(seen), { 'content-type': 'application/json', date: 'Sat, 21 Nov 2026 10:00:00 GMT' })
          .end(JSON.stringify(typeof body === 'function' ? body(seen) : body));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    /** How it answers from now on; what it has seen is forgotten. */
    const answer = (told: Answers = [], statusOf: StatusOf = () => 200) => {
      now = { told, statusOf };
      seen.splice(0);
    };
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answer, close };
  }

  const settingsFor = (url: string, more: Record<string, string> = {}) => ({
    KEY_SERVICE_URL_ERG: `${url}/erg/hook`,
    KEY_SERVICE_URL: `${url}/any/hook`,
    CLINICSYS_V1_APPLY_URL: `${url}/erg/apply?v=1`,
    CLINICSYS_V1_APPLY_URL_FUTURO: `${url}/futuro/apply`,
    CLINICSYS_V2_URL: `${url}/base/`,
    ...more,
  });

  type SiteSystem = Awaited<ReturnType<typeof openSiteSystem>>;

  /** What most tests share: an upstream that each of them may tell how to answer, and a gateway with its addresses alone. */
  let common: { readonly upstream: SiteSystem; readonly gateway: Gateway };
  /** What this test uses. */
  let upstream: SiteSystem;
  let gateway: Gateway;
  let stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const shared = await openSiteSystem();
    common = { upstream: shared, gateway: await startGateway({ settings: settingsFor(shared.url) }) };
  });
  afterAll(async () => {
    await common.gateway.stop();
    common.upstream.close();
  });
  beforeEach(() => {
    ({ upstream, gateway } = common);
    upstream.answer();
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    stops = [];
  });

  /** A gateway and an upstream of this test alone: it has other settings, or leaves a lead behind that asks on. */
  async function startOwn(settings: (url: string) => Record<string, string>, ...answering: Parameters<typeof openSiteSystem>) {
    const opened = (upstream = await openSiteSystem(...answering));
    const started = (gateway = await startGateway({ settings: settings(opened.url) }));
    stops.push(async () => {
      await started.stop();
      opened.close();
    });
  }
  const startWith = (more: Record<string, string>) => startOwn((url) => settingsFor(url, more));

  const path = '/api/clinicsys/with-prescreen';

  it('sends the four calls of the contract to the addresses of the account', async () => {
    const lead = newLead('', { account: 'erg', q101: 'Yes', q102: null, firstName: ' Añn & ', email: 'a+b@example.org' });
    const { status, body, headers } = await gateway.post(path, lead, { authorization: 'Bearer of-the-caller', cookie: 'a=b' });
    expect(status).toBe(200);
    expect(headers.get('x-leadgate-sandbox')).toBeNull();
    expect(body).toMatchObject({
      key: 'the-key',
      created: 'Sat, 21 Nov 2026 10:00:00 GMT',
      rtResponse: { status: 0, PatientID: 7, message: 'added' },
      rtV2Response: { data: { subjectId: 7 } },
    });
    const [key, lookUp, v1, comment] = upstream.seen;
    expect(key).toMatchObject({ method: 'POST', url: '/erg/hook', body: '{"account":"ERG","instanceName":"erg-oct"}' });
    expect(lookUp).toMatchObject({
      method: 'GET',
      url: '/base/api/v2/subjects?instanceName=erg-oct&email=a%2Bb%40example.org',
      headers: { authorization: 'Bearer the-key' },
    });
    expect(v1).toMatchObject({
      method: 'POST',
      url: '/erg/apply?v=1',
      headers: { authorization: 'Bearer the-key', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(Object.fromEntries(new URLSearchParams(v1?.body))).toEqual({
      StudyID: '12',
      ReferrerID: '7',
      FirstName: 'Añn &',
      LastName: 'Lee',
      Email: 'a+b@example.org',
      Phone: '555-201-3344',
      DOB: '1980-03-05',
      Sex: 'F',
      'questions[101]': '1',
      'questions[102]': '2',
    });
    expect(comment).toMatchObject({
      method: 'POST',
      url: '/base/api/v2/subjects/7/comments?instanceName=erg-oct',
      headers: { authorization: 'Bearer the-key' },
    });
    expect(JSON.parse(comment?.body ?? '')).toEqual({
      comment: expect.stringMatching(/^\(\d\d\/\d\d\/\d{4} - Eczema - AD-301\) Q101: Yes$/),
    });
    expect(upstream.seen).toHaveLength(4);
    for (const { headers: sent } of upstream.seen) expect(JSON.stringify(sent)).not.toMatch(/of-the-caller|a=b/);
  });

  it('sends Futuro to its own addresses, or to the common ones without them', async () => {
    expect((await gateway.post(path, newLead('', { account: 'FUTURO' }))).status).toBe(200);
    expect(upstream.seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/any/hook',
      '/base/api/v2/subjects',
      '/futuro/apply',
      '/base/api/v2/subjects/7/comments',
    ]);
    expect(JSON.parse(upstream.seen[0]?.body ?? '')).toEqual({ account: 'Futuro', instanceName: 'erg-oct' });
  });

  it('can send V1 as JSON with the field names of the upstream', async () => {
    await startWith({ CLINICSYS_V1_FORMAT: 'json', CLINICSYS_V1_FIELD_MAP: '{"Zip":"PostalCode"}' });
    const { body } = await gateway.post(path, newLead('', { zipCode: '33432', q5: 'No' }));
    expect(body.rtRequestPayload).toMatchObject({ Zip: '33432' });
    const v1 = upstream.seen.find(({ url }) => url.includes('/apply'));
    expect(v1?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(v1?.body ?? '')).toMatchObject({ PostalCode: '33432', 'questions[5]': 0, StudyID: 12 });
    expect(JSON.parse(v1?.body ?? '')).not.toHaveProperty('Zip');
  });

  it.each([
    ['Asia/Kolkata', 330],
    ['Etc/GMT-14', 840],
    ['Etc/GMT+12', -720],
  ])('the comment has the day of %s', async (CLINICSYS_TIMEZONE, minutesAhead) => {
    const day = () => new Date(Date.now() + minutesAhead * 60_000).toISOString().replace(/^(\d+)-(\d+)-(\d+)T.*/, '$2/$3/$1');
    await startWith({ CLINICSYS_TIMEZONE });
    const days = [day()];
    expect((await gateway.post(path, newLead())).status).toBe(200);
    days.push(day());
    const { comment } = JSON.parse(upstream.seen.at(-1)?.body ?? '') as { comment: string };
    expect(days).toContain(comment.slice(1, 11));
  });

  it('caches an access key for KEY_CACHE_TTL_S', async () => {
    await startWith({ KEY_CACHE_TTL_S: '60' });
    for (const lead of [newLead(), newLead()]) expect((await gateway.post(path, lead)).status).toBe(200);
    expect(upstream.seen.filter(({ url }) => url.includes('/hook'))).toHaveLength(1);
  });

  it('names missing settings, starts nothing, and serves other routes', async () => {
    await startOwn((url) => ({ KEY_SERVICE_URL: `${url}/hook`, CLINICSYS_V2_URL: url, SANDBOX: 'off' }));
    const { status, body } = await gateway.post(path, newLead());
    expect([status, body]).toEqual([
      503,
      { success: false, message: expect.stringContaining('CLINICSYS_V1_APPLY_URL'), error: { code: 'CONFIG_ERROR', retryable: false } },
    ]);
    expect(upstream.seen).toEqual([]);
    expect((await gateway.get('/api/clinicsys/toolkit/sites?instanceName=erg-oct')).body).toMatchObject({ success: true, count: 1 });
  });

  it('continues with the comment after a confirm at V1', async () => {
    await startWith({ CLINICSYS_V1_APPLY_URL: 'http://127.0.0.1:9/apply', LEAD_TTL_H: '0.0003' });
    const { body } = await gateway.post('/api/clinicsys/with-prescreen', newLead(), { prefer: 'wait=60' });
    expect(body).toMatchObject({ state: 'parked', error: { step: 'send-to-rt' } });
    const confirm = (upstreamId: string | number) =>
      gateway.post(`/api/leads/${body.leadId}/confirm`, { reason: 'it is there', upstreamId });
    for (const nobody of ['0', '-5', 'x'])
      expect(await confirm(nobody)).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    // Tools send it as V1 does: as a number.
    expect((await confirm(7)).status).toBe(200);
    expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body).toMatchObject({ state: 'delivered' });
    expect((await gateway.get('/api/leads?patientId=7')).body.leads).toMatchObject([{ leadId: body.leadId }]);
    expect(upstream.seen.filter(({ method, url }) => method === 'POST' && url.includes('/subjects/7/comments'))).toHaveLength(1);
  });

  it('lets the lead wait unsent if V1 rejects the key and there is no new one', async () => {
    const keysAsked = (seen: readonly Seen[]) => seen.filter(({ url }) => url.includes('/hook')).length;
    upstream.answer([], (seen) => {
      const url = seen.at(-1)?.url ?? '';
      if (url.includes('/hook')) return keysAsked(seen) === 2 ? 500 : 200;
      return url.includes('/apply') && keysAsked(seen) < 3 ? 401 : 200;
    });
    const { status, body } = await gateway.post(path, newLead());
    expect([status, body.rtResponse]).toEqual([200, { status: 0, PatientID: 7, message: 'added' }]);
    expect(upstream.seen.filter(({ url }) => url.includes('/apply'))).toHaveLength(3);
  });

  it('finds a subject after a lost answer even if an earlier lead had the same id', async () => {
    const sendsOf = (seen: readonly Seen[]) => seen.filter(({ url }) => url.includes('/apply')).length;
    const isSecondSend = (seen: readonly Seen[]) => seen.at(-1)?.url.includes('/apply') && sendsOf(seen) === 2;
    const subjects = (seen: readonly Seen[]) => ({ data: sendsOf(seen) === 2 ? [{ subjectId: 7 }] : [], error: {}, meta: {} });
    upstream.answer([['/subjects?', subjects]], (seen) => (isSecondSend(seen) ? 500 : 200));
    expect((await gateway.post(path, newLead())).status).toBe(200);
    const { status, body } = await gateway.post(path, newLead());
    expect([status, body.rtResponse]).toEqual([200, expect.objectContaining({ PatientID: 7, recovered: true })]);
  });

  it('does not treat a rejection by the key service as one by the site system', async () => {
    const keysAsked = (seen: readonly Seen[]) => seen.filter(({ url }) => url.includes('/hook')).length;
    upstream.answer([['/apply', { status: 401 }]], (seen) => {
      const [last] = seen.slice(-1);
      return last?.url.includes('/hook') && keysAsked(seen) > 1 ? 404 : 200;
    });
    const { status, body } = await gateway.post(path, newLead());
    expect([status, body.error.step]).toEqual([422, 'send-to-rt']);
    expect(body.record).not.toHaveProperty('rtResponse');
    expect(body.record.error).toEqual({ message: 'The key service refused to give an access key' });
  });

  describe('an invalid answer never counts as "not found" or "done"', () => {
    /** The lead asks on after the test. */
    const startAsking = (path: string, body: unknown) => startOwn(settingsFor, [[path, body]]);
    const sends = () => upstream.seen.filter(({ url }) => url.includes('/apply')).length;
    const comesTo = async (state: string) => {
      const { status, body } = await gateway.post('/api/clinicsys/no-prescreen', newLead(), { prefer: 'wait=1' });
      expect(status).toBe(202);
      await until(async () => (await gateway.get(body.statusUrl)).body.state === state, `it is ${state}`);
    };

    it.each([
      ['a subject without an id', { data: [{}], error: {}, meta: { totalItems: 1 } }],
      ['a count without subjects', { data: [], error: {}, meta: { totalItems: 3 } }],
      ['no list at all', { error: {}, meta: {} }],
    ])('%s: nothing is sent, the lead waits', async (_name, body) => {
      await startAsking('/subjects?', body);
      await comesTo('waiting');
      expect(sends()).toBe(0);
    });

    it('ignores an empty error', async () => {
      upstream.answer([['/subjects?', { data: [], error: { code: 0, message: '' }, meta: { totalItems: 0 } }]]);
      expect((await gateway.post('/api/clinicsys/no-prescreen', newLead())).status).toBe(200);
    });

    it('treats an error code without a message as an error', async () => {
      upstream.answer([['/subjects?', { data: [], error: { code: 'X' }, meta: { totalItems: 0 } }]]);
      expect((await gateway.post('/api/clinicsys/no-prescreen', newLead())).status).toBe(422);
      expect(sends()).toBe(0);
    });

    it('looks up the lead after PatientID 0, and sends no comment', async () => {
      await startAsking('/apply', { status: 0, PatientID: 0, message: 'added' });
      await comesTo('verifying');
      expect(upstream.seen.some(({ url }) => url.includes('/comments'))).toBe(false);
    });

    it('parks an unknown outcome immediately without an e-mail to look up', async () => {
      upstream.answer([['/apply', 'nonsense']]);
      const { email: _, ...nameless } = newLead('', { key: 'k' });
      const answer = await gateway.post('/api/clinicsys/with-prescreen/send-to-rt', nameless);
      expect([answer.status, answer.body.error.code, answer.body.state]).toEqual([502, 'OUTCOME_UNKNOWN', 'parked']);
    });

    it('does not let a site named .. leave its path', async () => {
      expect((await gateway.post('/api/clinicsys/toolkit/get-referral-sources', { instanceName: 'erg-oct', siteName: '..' })).status).toBe(
        400,
      );
      expect(upstream.seen).toEqual([]);
    });
  });
});

/** A lead goes on where it began, whatever the settings have become. */
describe('a lead after a change of settings', () => {
  const mend = { reason: 'the settings are mended' };

  let real: Upstream;
  let own: Readonly<Record<string, string>>;
  beforeEach(async () => {
    real = await openUpstream();
    own = { LEADGATE_KEYS: `k1:${randomBytes(32).toString('base64')}`, TASK_QUEUE: `bound-${randomBytes(6).toString('hex')}` };
  });
  afterEach(() => real.close());

  /** The same service, started with these settings. */
  async function during(settings: Record<string, string>, doing: (gateway: Gateway) => Promise<void>) {
    const gateway = await startGateway({ settings: { ...own, SYNC_WAIT_MS: '60000', ...settings } });
    try {
      await doing(gateway);
    } finally {
      await gateway.stop();
    }
  }

  const settings = () => ({ RECRUIT_URL_US: real.url });

  /** It is told to come again, and waits. */
  async function waitingLead({ post, get }: Gateway, sentinel = ''): Promise<string> {
    const email = `ann-${randomBytes(4).toString('hex')}${sentinel}@example.org`;
    const lead = {
      bearerToken: 't',
      clientId: '1',
      siteId: '1263',
      environment: 'us',
      firstName: 'Ann',
      lastName: 'Lee',
      email,
      phone: '555-201-3344',
    };
    const { body } = await post('/api/recruit/send-to-recruit', lead, { prefer: 'respond-async' });
    await until(async () => (await get(`/api/leads/${body.leadId}`)).body.state === 'waiting', 'the lead waits');
    return body.leadId;
  }

  async function failed({ get }: Gateway, leadId: string) {
    const { body } = await get(`/api/leads/${leadId}?wait=60`);
    expect(body.state).toBe('failed');
    return body;
  }

  it('that was accepted for the sandbox never reaches a real system, even in a redrive', async () => {
    let leadId = '';
    await during({}, async (gateway) => void (leadId = await waitingLead(gateway, '+recruit-429')));
    await during(settings(), async (gateway) => {
      const { sandbox, steps } = await failed(gateway, leadId);
      expect([sandbox, steps.at(-1).error]).toMatchObject([
        true,
        { code: 'CONFIG_ERROR', message: expect.stringContaining('it is not sent to a real system') },
      ]);
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
        status: 409,
        body: { error: { code: 'WRONG_STATE' } },
      });
    });
    expect(real.received).toEqual([]);
  });

  it('that was accepted for a real system never reaches the sandbox, and continues when the real system is configured again', async () => {
    let leadId = '';
    const busy = await openUpstream();
    for (let tries = 0; tries < 20; tries++) busy.answerWith({ status: 429, body: {} });
    await during({ RECRUIT_URL_US: busy.url }, async (gateway) => void (leadId = await waitingLead(gateway)));
    await busy.close();
    await during({}, async (gateway) => {
      const { sandbox, steps } = await failed(gateway, leadId);
      expect([sandbox, steps.at(-1).error]).toMatchObject([
        undefined,
        { code: 'CONFIG_ERROR', message: expect.stringContaining('RECRUIT_URL_US is not set') },
      ]);
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
        status: 503,
        body: { error: { code: 'CONFIG_ERROR' } },
      });
      expect((await gateway.sandbox()).requests).toEqual([]);
    });
    await during(settings(), async (gateway) => {
      real.answerWith({ status: 200, body: { siteId: '1263', patientInfo: { patientId: '128654' } } });
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({ status: 200 });
      expect((await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state).toBe('delivered');
      expect(real.received).toHaveLength(1);
    });
  });

  it('that was accepted for both keeps to each of them', async () => {
    let leadId = '';
    const refusing = await openUpstream();
    refusing.answerWith({ status: 400, body: { message: 'no' } });
    await during({ KEY_SERVICE_URL: refusing.url }, async (gateway) => {
      const { body } = await gateway.post('/api/clinicsys/no-prescreen', newLead());
      ({ leadId } = body);
      expect(body.state).toBe('failed');
    });
    await refusing.close();
    await during({}, async (gateway) => {
      expect(await gateway.post(`/api/leads/${leadId}/redrive`, mend)).toMatchObject({
        status: 503,
        body: { error: { code: 'CONFIG_ERROR' } },
      });
      expect((await gateway.sandbox()).requests).toEqual([]);
    });
  });
});
