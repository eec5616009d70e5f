import { randomUUID } from 'node:crypto';
import { endpoints } from '../../src/contract';
import { atOnce, leadIdOf } from '../support/background';
import { logged, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';

const { sendToRecruit, sendToLeadforms, sendToLeadformsSandbox, sendPatient } = endpoints;
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

let people = 0;
/** The row's example, of a person who has not been here before. */
const leadOf = ({ example }: { readonly example: object }, sentinels = '', fields: object = {}) => ({
  ...example,
  email: `ann-${process.pid}-${++people}${sentinels && `+${sentinels}`}@example.org`,
  ...fields,
});
const sent = async ({ email }: { email: string }, at = gateway) => {
  const { requests } = await at.sandbox();
  return requests.filter(({ body }) => body.includes(email));
};

const routes = [
  { row: sendToRecruit, call: 'recruit', field: 'recruitResponse', credential: 'bearerToken', flow: 'recruit' },
  { row: sendToLeadforms, call: 'leadforms', field: 'leadformsResponse', credential: 'key', flow: 'leadforms' },
  { row: sendToLeadformsSandbox, call: 'leadforms', field: 'leadformsResponse', credential: 'key', flow: 'leadforms-sandbox' },
  { row: sendPatient, call: 'screening', field: 'screeningResponse', credential: 'apiKey', flow: 'screening' },
] as const;
const secret = 'tok-7f3a9c-secret';

const post = ({ path }: { readonly path: string }, lead: unknown, headers?: Record<string, string>, at = gateway) =>
  at.post(path, lead, headers);
const onEach = it.concurrent.each(routes);
const refusals = routes.flatMap((route) => ['refused', '422', '404'].map((effect) => ({ ...route, effect })));

describe('a lead', () => {
  onEach('$row.path sends the lead once, in the specification’s form', async ({ row, call, field, flow }) => {
    const lead = leadOf(row);
    const { status, body, headers } = await post(row, lead);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(call === 'recruit' ? ['success', 'recruitPayload', field] : ['success', 'message', field]);
    expect(body.success).toBe(true);
    expect(row.output.safeParse(body).success).toBe(true);
    expect(await sent(lead)).toHaveLength(1);
    expect(headers.get('x-leadgate-sandbox')).toBe('true');
    const report = await gateway.get(`/api/leads/${headers.get('x-lead-id')}`);
    expect(report.headers.get('x-leadgate-sandbox')).toBe('true');
    expect(report.body).toMatchObject({ flow, state: 'delivered', steps: [{ name: 'send', state: 'done', attempts: 1 }], result: body });
  });

  it.concurrent.each(refusals)('$row.path answers 422 with the message of the upstream: $effect', async ({ row, call, field, effect }) => {
    const lead = leadOf(row, `${call}-${effect}`);
    const { status, body } = await post(row, lead);
    expect([status, body.error.code, body.state]).toEqual([422, 'UPSTREAM_REJECTED', 'failed']);
    expect(JSON.stringify(body[field])).toMatch(/invalid|not found/i);
    if (call === 'recruit') expect(body.recruitPayload).toMatchObject({ siteId: '1263' });
    expect(await sent(lead)).toHaveLength(1);
  });

  onEach('$row.path names the upstream’s status and the field that it refuses', async ({ row, call }) => {
    const { body } = await post(row, leadOf(row, `${call}-refused`));
    const refused = {
      recruit: [200, 'siteId'],
      leadforms: [422, 'email'],
      'leadforms-sandbox': [422, 'email'],
      screening: [422, 'study_id'],
    }[call];
    expect([body.error.upstreamStatus, body.error.details]).toEqual([refused?.[0], [{ field: refused?.[1], message: expect.any(String) }]]);
  });

  onEach(
    '$row.path answers 401 when the caller’s own credential is refused, and never says it',
    async ({ row, call, field, credential }) => {
      const wrong = `wrong-${secret}`;
      const { status, body } = await post(row, leadOf(row, '', { [credential]: wrong }));
      expect([status, body.error.code, body.error.retryable]).toEqual([401, 'UNAUTHORIZED', false]);
      expect(body[field]).toMatchObject({ message: call === 'leadforms' ? 'Invalid key' : 'Unauthorized' });
      expect(JSON.stringify(body)).not.toContain(secret);
    },
  );

  onEach(
    '$row.path sends nothing in a dry run, and shows the payload with its origins and without the credential',
    async ({ row, credential, flow }) => {
      const lead = leadOf(row, '', { [credential]: secret });
      const { status, body, headers } = await post(row, lead, { 'X-Dry-Run': 'true' });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['success', 'dryRun', 'message', 'payload', 'origins']);
      expect(body).toMatchObject({ success: true, dryRun: true });
      expect(JSON.stringify(body)).not.toContain(secret);
      expect(headers.get('x-lead-id')).toBeNull();
      expect(await sent(lead)).toHaveLength(0);
      if (flow.startsWith('leadforms')) {
        expect(body.payload.key).toBe('[secret]');
        expect(body.origins).toMatchObject({ key: 'caller', form_code: 'site configuration', campaign_name: 'rule', first_name: 'caller' });
      }
      if (flow === 'screening') expect(body.origins).toMatchObject({ race: 'rule', height_unit: 'default', study_id: 'caller' });
      if (flow === 'recruit') expect(body.origins).toMatchObject({ 'patientInfo.status': 'rule', 'patientInfo.birthDate': 'caller' });
    },
  );

  onEach('$row.path tells all wrong fields at once, and starts nothing', async ({ row, credential }) => {
    const lead = leadOf(row, '', { email: 'nobody', [credential]: 'not a token' });
    const { status, body, headers } = await post(row, lead);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.map((detail: { field: string }) => detail.field).toSorted()).toEqual([credential, 'email'].toSorted());
    expect(JSON.stringify(body)).not.toMatch(/nobody|not a token/);
    expect(headers.get('x-workflow-id')).toBeNull();
  });

  describe('while its run is open', () => {
    /** Each test lets all sends of its simulators go. */
    let own: Gateway;
    beforeAll(async () => void (own = await startGateway()));
    afterAll(() => own.stop());

    it.each(routes)(
      '$row.path attaches an identical body, in another order of keys too, and only an identical one',
      async ({ row, call }) => {
        const lead = leadOf(row, `${call}-hold`);
        const turned = Object.fromEntries(Object.entries(lead).toReversed());
        const isSent = (times: number) => until(async () => (await sent(lead, own)).length === times, `${times} are sent`);
        const one = post(row, lead, {}, own);
        await isSent(1);
        const other = post(row, turned, {}, own);
        const third = post(row, { ...lead, utm: 'x' }, {}, own);
        await isSent(2);
        expect((await post(row, turned, atOnce, own)).status).toBe(202);
        await own.release();
        const answers = await Promise.all([one, other, third]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        const [first, again, another] = answers.map(leadIdOf);
        expect(again).toBe(first);
        expect(another).not.toBe(first);
        expect(await sent(lead, own)).toHaveLength(2);
      },
    );
  });
});

describe('a lead with an unknown outcome', () => {
  const hasty = { RECRUIT_TIMEOUT_MS: '5000', LEADFORMS_TIMEOUT_MS: '5000', SCREENING_TIMEOUT_MS: '5000' };
  const parked = {
    status: 502,
    code: 'OUTCOME_UNKNOWN',
    retryable: false,
    state: 'parked',
    sent: 1,
    says: undefined,
    discarded: 'discarded',
  };

  let own: Gateway;
  beforeAll(async () => void (own = await startGateway({ settings: hasty })));
  afterAll(() => own.stop());

  it.each(['500', 'reset-after', 'hang', 'html', 'truncated', 'cut', 'oversized', 'redirect'])(
    'parks at once after %s, and says nothing that it does not know',
    async (effect) => {
      const seen = async ({ row, call, field }: (typeof routes)[number]) => {
        const lead = leadOf(row, `${call}-${effect}`);
        const { status, body } = await post(row, lead, {}, own);
        expect(JSON.stringify(body)).not.toMatch(/<|doctype/i);
        const { length } = await sent(lead, own);
        const discarded = await own.post(`/api/leads/${body.leadId}/discard`, { reason: 'test' });
        const { code, retryable } = body.error;
        return [row.path, { status, code, retryable, state: body.state, sent: length, says: body[field], discarded: discarded.body.state }];
      };
      expect(Object.fromEntries(await Promise.all(routes.map(seen)))).toEqual(
        Object.fromEntries(routes.map(({ row }) => [row.path, parked])),
      );
      // After three failures in a row an upstream would be held; these leads end the row.
      for (const { row } of routes) expect((await post(row, leadOf(row), {}, own)).status).toBe(200);
    },
  );
});

// One block each: leads that fail at one upstream at the same time would be held.
describe('a rate-limited lead', () => {
  onEach('$row.path waits a 429 out, and sends again by itself', async ({ row, call }) => {
    const lead = leadOf(row, `${call}-429-once`);
    const { status } = await post(row, lead);
    expect(status).toBe(200);
    expect(await sent(lead)).toHaveLength(2);
  });
});

describe('a confirmed lead', () => {
  onEach('$row.path is confirmed by a person with the upstream’s id, marked as that', async ({ row, call, field }) => {
    const { body } = await post(row, leadOf(row, `${call}-reset-after`));
    const confirmed = await gateway.post(`/api/leads/${body.leadId}/confirm`, { reason: 'it is there', upstreamId: '4711' });
    expect(confirmed.status).toBe(200);
    const { body: lead } = await gateway.get(`/api/leads/${body.leadId}?wait=60`);
    expect(lead.state).toBe('delivered');
    expect(lead.result[field]).toMatchObject({ confirmed: true });
    expect(JSON.stringify(lead.result[field])).toContain('4711');
    expect(row.output.safeParse(lead.result).success).toBe(true);
  });
});

describe('a resent lead', () => {
  onEach('$row.path is sent again when a person says so', async ({ row, call }) => {
    const lead = leadOf(row, `${call}-500-once`);
    const { body } = await post(row, lead);
    await gateway.post(`/api/leads/${body.leadId}/resend`, { reason: 'it is not there' });
    expect((await gateway.get(`/api/leads/${body.leadId}?wait=60`)).body.state).toBe('delivered');
    expect(await sent(lead)).toHaveLength(2);
  });

  it('is not sent again by a repeat of the order, even if its next attempt is parked, too', async () => {
    const lead = leadOf(sendToRecruit, 'recruit-500-once+recruit-refused-x2+recruit-500-from3');
    const { leadId } = (await post(sendToRecruit, lead)).body;
    const reason = 'it is not there';
    const resend = () => gateway.post(`/api/leads/${leadId}/resend`, { reason }, { 'idempotency-key': `resend-${leadId}` });
    const state = async () => (await gateway.get(`/api/leads/${leadId}?wait=60`)).body.state;
    const first = await resend();
    expect(await state()).toBe('failed');
    expect((await gateway.post(`/api/leads/${leadId}/redrive`, { reason })).status).toBe(200);
    expect(await state()).toBe('parked');
    const again = await resend();
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([200, first.body, 'true']);
    expect(await state()).toBe('parked');
    expect(await sent(lead)).toHaveLength(3);
  });
});

describe('Idempotency-Key', () => {
  it('returns the original answer, rejects another body, and is not consumed by a 400', async () => {
    const key = { 'Idempotency-Key': `key-${process.pid}` };
    const lead = leadOf(sendPatient);
    expect((await gateway.post(sendPatient.path, { ...lead, study_id: 'x' }, key)).status).toBe(400);
    const first = await gateway.post(sendPatient.path, lead, key);
    const again = await gateway.post(sendPatient.path, JSON.stringify(lead, undefined, 2), key);
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body).toEqual(first.body);
    const another = await gateway.post(sendPatient.path, { ...lead, utm_source: 'unknown to us' }, key);
    expect([another.status, another.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await sent(lead)).toHaveLength(1);
  });
});

describe('a dry run of the site-system flows', () => {
  it('reports the source of the values, and sends nothing', async () => {
    const lead = leadOf(endpoints.withPrescreen);
    const { status, body } = await gateway.post(endpoints.withPrescreen.path, lead, { 'X-Dry-Run': 'true' });
    expect(status).toBe(200);
    expect(body.origins).toMatchObject({ StudyID: 'caller', 'questions[101]': 'caller' });
    expect((await sent(lead)).map(({ call }) => call)).not.toContain('v1');
  });
});

describe('the sites', () => {
  const post = (fields: object) => gateway.post(sendToLeadforms.path, leadOf(sendToLeadforms, '', fields), { 'X-Dry-Run': 'true' });
  it.each([
    'Skin Care - Boca Raton',
    'skin-care-boca-raton',
    'Skin & Beauty Center',
    'skin-and-beauty-center',
    'First OC Dermatology Research',
  ])('are found as %s', async (site) => expect((await post({ site })).body.payload.account_id).toBeGreaterThan(1000));
  it('are found by any of their names in a search', async () => {
    const protocol = `P-${randomUUID()}`;
    for (const site of ['Skin & Beauty Center', 'skin-and-beauty-center']) {
      const { status } = await gateway.post(sendToLeadforms.path, leadOf(sendToLeadforms, '', { site, protocol }));
      expect(status).toBe(200);
    }
    const countOf = async (site: string) =>
      (await gateway.get(`/api/leads?protocol=${protocol}&site=${encodeURIComponent(site)}`)).body.count;
    for (const name of ['Skin & Beauty Center', 'skin-and-beauty-center', 'SKIN-AND-BEAUTY-CENTER'])
      await until(async () => (await countOf(name)) === 2, 'both are listed');
  });
  it('are found by location without a site', async () => {
    const { body } = await post({ site: '', location: 'skin-care-hollywood' });
    expect(body.payload).toMatchObject({ account_id: 1002, campaign_name: 'Acme - Skin Care - Hollywood' });
  });
  it('that are unknown give a 400 with the known ones and all other problems', async () => {
    const { status, body } = await post({ site: 'Miami', location: 'skin-care-hollywood', first_name: null });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      { field: 'first_name', message: 'is required' },
      { field: 'site', message: expect.stringContaining('Skin Care - Boca Raton, Skin Care - Hollywood') },
    ]);
  });
  it('are not needed if the body has all five values', async () => {
    const own = { key: secret, form_code: 'F', account_id: '7', location_id: 9, source_url: 'example.org/landing' };
    const { status, body } = await post({ site: 'Miami', ...own });
    expect(status).toBe(200);
    expect(body.payload).toMatchObject({
      form_code: 'F',
      source_url: 'example.org/landing',
      account_id: 7,
      location_id: '9',
      campaign_name: 'Acme - Miami',
      key: '[secret]',
    });
  });
  it('or the five values are required', async () => {
    const { status, body } = await post({ site: null, form_code: 'F' });
    expect(status).toBe(400);
    expect(body.error.details.map((detail: { field: string }) => detail.field)).toEqual(['key', 'account_id', 'location_id', 'source_url']);
  });
  it('are listed without their keys', async () => {
    const { status, body, headers } = await gateway.get('/api/scr/sites');
    expect([status, body.count, headers.get('x-leadgate-sandbox')]).toEqual([200, 5, 'true']);
    expect(endpoints.listLeadformsSites.output.safeParse(body).success).toBe(true);
    expect(body.sites[0]).toMatchObject({ slug: 'skin-care-boca-raton', key: 'set' });
    expect(JSON.stringify(body)).not.toContain('sandbox-key');
  });
});

describe('stored data', () => {
  it('contains no readable secret or personal data, in the log and in the engine', async () => {
    const lead = leadOf(sendToRecruit, '', { bearerToken: secret, lastName: 'Unmistakable' });
    const { headers } = await gateway.post(sendToRecruit.path, lead);
    await gateway.post(sendPatient.path, leadOf(sendPatient, 'screening-refused', { apiKey: secret }));
    const handle = gateway.client.workflow.getHandle(headers.get('x-workflow-id') ?? '');
    const raw = await gateway.engine.connection.workflowService.getWorkflowExecutionHistory({
      namespace: gateway.engine.namespace,
      execution: { workflowId: handle.workflowId },
    });
    const described = await gateway.engine.connection.workflowService.describeWorkflowExecution({
      namespace: gateway.engine.namespace,
      execution: { workflowId: handle.workflowId },
    });
    // Bytes as text, so that a plain payload would show.
    const text = JSON.stringify([raw, described], (_name, value: unknown) =>
      value instanceof Uint8Array || (typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer')
        ? Buffer.from(value as Uint8Array).toString('latin1')
        : value,
    );
    expect(text).toContain('sendToRecruit');
    for (const hidden of [secret, 'Unmistakable', lead.email]) {
      expect(text).not.toContain(hidden);
      expect(logged.join('\n')).not.toContain(hidden);
    }
  });
});
