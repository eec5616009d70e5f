import { newLead, startGateway, type Gateway } from '../support/gateway';
import { untilHolds } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const flows = ['with-prescreen', 'no-prescreen'] as const;
const at = (flow: string, step: string) => `/api/clinicsys/${flow}/${step}`;
const dead = (account: string) => ({ account, instanceName: 'erg-oct', key: 'x' });

describe.each(flows)('the single steps of %s', (flow) => {
  it('chained by the caller return the same record as the whole flow', async () => {
    let record: Record<string, unknown> = newLead('', { q101: 'Yes', extra: { kept: true } });
    for (const step of ['get-api-key', 'check-email', 'format-data', 'send-to-rt', 'send-comments']) {
      const { status, body } = await gateway.post(at(flow, step), record);
      expect([step, status]).toEqual([step, 200]);
      expect(body).toMatchObject(
        Object.fromEntries(Object.entries(record).filter(([name]) => !['phone', 'dob', 'sex', 'q101'].includes(name))),
      );
      record = body;
    }
    expect(record).toMatchObject({
      extra: { kept: true },
      phone: '555-201-3344',
      emailExists: false,
      rtResponse: { status: 0 },
      q101: flow === 'with-prescreen' ? 1 : 'Yes',
    });
    expect(record).not.toHaveProperty('emailCheckResult');
  });

  it('get-api-key needs only the instance', async () =>
    expect((await gateway.post(at(flow, 'get-api-key'), { instanceName: 'erg-oct', anything: 1 })).body).toEqual({
      instanceName: 'erg-oct',
      anything: 1,
      key: expect.any(String),
      created: expect.any(String),
    }));

  it('a step that sends is a lead, and a step that reads is not', async () => {
    const { body: keyed, headers } = await gateway.post(at(flow, 'get-api-key'), newLead());
    expect(headers.get('x-lead-id')).toBeNull();
    const sent = await gateway.post(at(flow, 'send-to-rt'), { ...keyed, emailExists: false });
    expect(sent.headers.get('x-lead-id')).toMatch(/-/);
  });
});

it.concurrent.each(flows)('answers 502 for a look-up that keeps failing: %s', async (flow) => {
  const { body: keyed } = await gateway.post(at(flow, 'get-api-key'), newLead('', { instanceName: `erg-oct.lookup-500.${flow}` }));
  const { status, body } = await gateway.post(at(flow, 'check-email'), keyed);
  expect(status).toBe(502);
  expect(body.error).toMatchObject({ code: 'UPSTREAM_ERROR', step: 'check-email' });
});

it.concurrent('ends a look-up without an answer, and returns the record so far', async () => {
  const record = { ...newLead('', { instanceName: 'erg-oct.lookup-hang' }), key: 'any' };
  const { status, body } = await gateway.post(at('no-prescreen', 'check-email'), record);
  expect([status, body.error, body.record]).toMatchObject([502, { step: 'check-email' }, { email: record.email }]);
});

it.concurrent('repeats slow reads as regular activities, and does not hold the upstream', async () => {
  let slowMs = 3_300;
  // On a busy machine a workflow task may be lost. The next one asks again. The test tries another lead then.
  await untilHolds(async () => {
    const instanceName = `erg-oct.key-slow-${slowMs}.lookup-slow-${slowMs++}`;
    const { status, headers } = await gateway.post('/api/clinicsys/no-prescreen', newLead('', { instanceName }));
    expect(status).toBe(200);
    const { body } = await gateway.get(`/api/leads/${headers.get('x-lead-id')}`);
    expect(body.steps).toMatchObject([2, 2, 1, 1, 1].map((attempts) => ({ state: 'done', attempts })));
    const seen = (await gateway.sandbox()).requests.filter(({ url, body: sent }) => `${url} ${sent}`.includes(instanceName));
    // V1 is not told the instance.
    expect(seen.map(({ call }) => call)).toEqual(['key', 'key', 'lookup', 'lookup', 'comment']);
  }, 'each read of a lead was asked twice');
});

it.concurrent('names a step that no worker starts in time', async () => {
  const withoutWorker = await startGateway({ withoutWorker: true });
  try {
    const { status, body } = await withoutWorker.post(at('no-prescreen', 'get-api-key'), { instanceName: 'erg-oct' });
    expect([status, body.error]).toMatchObject([502, { code: 'UPSTREAM_ERROR', step: 'get-api-key' }]);
  } finally {
    await withoutWorker.stop();
  }
});

it.concurrent('send-to-rt of no-prescreen sends nothing for a known e-mail', async () => {
  const record = { ...newLead(), key: 'any', emailExists: true, data: [{ subjectId: 139712 }] };
  const { status, body } = await gateway.post(at('no-prescreen', 'send-to-rt'), record);
  expect(status).toBe(200);
  expect(body).toMatchObject({ rtRequestPayload: null, rtResponse: { status: 0, PatientID: 139712, skipped: true } });
});

it.concurrent('looks up send-to-rt after an unknown outcome, also if only emailExists shows that the person was new', async () => {
  const { phone: _, ...lead } = newLead('v1-reset-after');
  const { key } = (await gateway.post(at('no-prescreen', 'get-api-key'), lead)).body;
  const { status, body } = await gateway.post(at('no-prescreen', 'send-to-rt'), { ...lead, key, emailExists: false });
  expect(status).toBe(200);
  expect(body.rtResponse).toMatchObject({ status: 0, PatientID: expect.any(Number), recovered: true });
});

describe('bad input', () => {
  // No other test calls its upstreams.
  let quiet: Gateway;
  beforeAll(async () => void (quiet = await startGateway()));
  afterAll(() => quiet.stop());

  const lead = newLead();
  const without = (...names: string[]) => Object.fromEntries(Object.entries(lead).filter(([name]) => !names.includes(name)));

  it.each<[string, unknown, string[]]>([
    ['/api/clinicsys/with-prescreen', {}, ['StudyID', 'ReferrerID', 'instanceName', 'firstName', 'lastName', 'email']],
    ['/api/clinicsys/no-prescreen', {}, ['StudyID', 'ReferrerID', 'instanceName', 'firstName', 'lastName', 'email']],
    [
      '/api/clinicsys/with-prescreen',
      { ...lead, q101: 'Maybe', dob: '02/30/1980', phone: 'none', account: 'Other' },
      ['q101', 'dob', 'phone', 'account'],
    ],
    [
      '/api/clinicsys/no-prescreen',
      { ...lead, instanceName: 'a/b', StudyID: 1.5, firstName: { a: 1 } },
      ['instanceName', 'StudyID', 'firstName'],
    ],
    [at('no-prescreen', 'get-api-key'), { instanceName: ' ' }, ['instanceName']],
    [at('with-prescreen', 'get-api-key'), dead('neither'), ['account']],
    [at('no-prescreen', 'check-email'), { instanceName: 'erg-oct' }, ['email', 'key']],
    [at('with-prescreen', 'check-email'), { ...lead }, ['key']],
    [at('no-prescreen', 'check-email'), { ...lead, key: 'two\nlines' }, ['key']],
    [at('with-prescreen', 'format-data'), { q7: 'perhaps', dob: '1980' }, ['q7', 'dob']],
    [at('no-prescreen', 'format-data'), { phone: '-' }, ['phone']],
    [at('no-prescreen', 'send-to-rt'), { ...lead, key: 'k' }, ['emailExists']],
    [at('with-prescreen', 'send-to-rt'), { ...without('email', 'phone'), key: 'k' }, ['email']],
    [at('no-prescreen', 'send-comments'), { instanceName: 'erg-oct', key: 'k' }, ['rtResponse.PatientID']],
    [at('with-prescreen', 'send-comments'), { rtResponse: { PatientID: 'x' } }, ['instanceName', 'key', 'rtResponse.PatientID']],
    ['/api/clinicsys/toolkit/get-subjects', { instanceName: 'erg-oct' }, ['email']],
    ['/api/clinicsys/toolkit/get-patient-statuses', { instanceName: 'erg-oct', subjectID: 'x' }, ['subjectID']],
    ['/api/clinicsys/toolkit/get-sites', {}, ['instanceName']],
    ['/api/clinicsys/toolkit/get-referral-sources', { instanceName: 'erg-oct' }, ['siteName']],
  ])('%s names every wrong field at once, echoes no value and starts nothing', async (path, body, fields) => {
    const answer = await quiet.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      success: false,
      message: expect.any(String),
      error: { code: 'VALIDATION_ERROR', details: expect.any(Array), retryable: false },
    });
    const named = answer.body.error.details.map(({ field }: { field: string }) => field);
    expect([...new Set(named)].toSorted()).toEqual(fields.toSorted());
    expect(JSON.stringify(answer.body)).not.toMatch(/Maybe|02\/30\/1980|a\/b|perhaps|neither/);
    expect(answer.headers.get('x-workflow-id')).toBeNull();
    expect((await quiet.sandbox()).requests).toEqual([]);
  });
});

describe('the toolkit', () => {
  const instance = { instanceName: 'erg-oct' };
  const toolkit = '/api/clinicsys/toolkit';
  const boca = 'Boca Raton Clinical Research';

  it('finds a subject by e-mail, and reports if there is none', async () => {
    const found = await gateway.post(`${toolkit}/get-subjects`, { ...instance, email: 'ann@example.org' });
    expect(found.body).toEqual({
      success: true,
      data: [expect.objectContaining({ subjectId: 139712 })],
      error: {},
      meta: { totalItems: 1 },
      emailExists: true,
    });
    const none = await gateway.post(`${toolkit}/get-subjects`, { ...instance, email: 'nobody@example.org', account: 'erg' });
    expect([none.status, none.body]).toEqual([200, { success: true, data: [], error: {}, meta: { totalItems: 0 }, emailExists: false }]);
  });

  it('reads a list of more than half a megabyte', async () => {
    const { status, body } = await gateway.get(`${toolkit}/sites?instanceName=erg-oct.sites-oversized`);
    expect([status, body.count]).toEqual([200, 2]);
  });

  it('returns the patient statuses', async () => {
    const { status, body } = await gateway.post(`${toolkit}/get-patient-statuses`, { ...instance, subjectID: 139712 });
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: expect.any(Array), error: {}, meta: { totalItems: body.data.length } });
  });

  it.each([
    ['sites', 'get-sites', ''],
    ['studies', 'get-studies', ''],
    ['interview-questions', 'get-interview-questions', ''],
    [`referral-sources/${encodeURIComponent(boca)}`, 'get-referral-sources', boca],
  ])('lists %s in both spellings alike', async (path, twin, siteName) => {
    const got = await gateway.get(`${toolkit}/${path}?instanceName=erg-oct`);
    const posted = await gateway.post(`${toolkit}/${twin}`, { ...instance, ...(siteName && { siteName }) });
    expect(got.status).toBe(200);
    expect(got.body).toEqual({ success: true, count: got.body.data.length, data: expect.any(Array), error: {}, meta: expect.any(Object) });
    expect(got.body.count).toBeGreaterThan(0);
    expect(posted.body).toEqual(got.body);
  });

  it('filters by site name', async () => {
    const all = await gateway.get(`${toolkit}/studies?instanceName=erg-oct`);
    const { siteName } = all.body.data[0];
    const some = await gateway.get(`${toolkit}/studies?instanceName=erg-oct&siteName=${encodeURIComponent(siteName)}`);
    expect(some.body.data).toEqual(all.body.data.filter((study: { siteName: string }) => study.siteName === siteName));
  });

  it('fetches a refused key again, once', async () => {
    const { status, body } = await gateway.post(`${toolkit}/get-subjects`, {
      instanceName: 'erg-oct.lookup-revoked',
      email: 'ann@example.org',
    });
    expect([status, body.emailExists]).toEqual([200, true]);
  });

  it('answers 422 for an unknown instance', async () => {
    const { status, body } = await gateway.get(`${toolkit}/sites?instanceName=nowhere`);
    expect([status, body.error.code]).toEqual([422, 'UPSTREAM_REJECTED']);
  });
});
