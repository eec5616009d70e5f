import { newLead, startGateway, type Gateway } from '../support/gateway';
import { until, untilHolds } from '../support/until';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const withPrescreen = '/api/clinicsys/with-prescreen';
const noPrescreen = '/api/clinicsys/no-prescreen';

/** How often one person was looked up, and how often V1 was called for the person. */
async function callsFor(email: string) {
  const { requests } = await gateway.sandbox();
  const encoded = encodeURIComponent(email);
  const about = requests.filter(({ url, body }) => [url, body].some((text) => text.includes(encoded) || text.includes(email)));
  const countOf = (name: string) => about.filter(({ call }) => call === name).length;
  return { lookup: countOf('lookup'), v1: countOf('v1') };
}

/** On a busy machine a workflow task may be lost. The next one repeats the look-up, but never a send. The test tries another lead then. */
const onePerLead = 'each lead was carried with one look-up';

describe('the whole flow', () => {
  it.concurrent('returns the combined record with the additions of every step and the unknown fields', async () => {
    const lead = newLead('', { q101: 'Yes', q102: 'No', q103: null, utm: { source: ['a', 1] }, zipCode: '33432', empty: '' });
    const { status, body, headers } = await gateway.post(withPrescreen, lead);
    expect(status).toBe(200);
    const patient = body.rtResponse.PatientID;
    expect(body).toEqual({
      ...lead,
      phone: '555-201-3344',
      dob: '1980-03-05',
      sex: 'F',
      q101: 1,
      q102: 0,
      q103: 2,
      key: expect.stringMatching(/./),
      created: expect.stringMatching(/GMT$/),
      data: [],
      error: {},
      meta: { totalItems: 0 },
      emailExists: false,
      emailCheckResult: { data: [], error: {}, meta: { totalItems: 0 }, emailExists: false },
      rtRequestPayload: {
        StudyID: 12,
        ReferrerID: 7,
        FirstName: 'Ann',
        LastName: 'Lee',
        Email: lead.email,
        Phone: '555-201-3344',
        DOB: '1980-03-05',
        Sex: 'F',
        Zip: '33432',
        'questions[101]': 1,
        'questions[102]': 0,
        'questions[103]': 2,
      },
      rtResponse: { status: 0, PatientID: expect.any(Number), message: expect.any(String) },
      rtV2Response: {
        data: { subjectId: patient, comment: expect.stringMatching(/^\(\d\d\/\d\d\/\d{4} - Eczema - AD-301\) Q101: Yes \| Q102: No$/) },
        error: {},
        links: {},
      },
    });
    expect(headers.get('x-leadgate-sandbox')).toBe('true');
    expect(headers.get('x-lead-id')).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
    expect(headers.get('x-workflow-id')).toMatch(/^lead-/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it.concurrent('with-prescreen calls V1 for a known e-mail, too', async () => {
    const emails: string[] = [];
    await untilHolds(async () => {
      const lead = newLead();
      emails.push(lead.email);
      const first = await gateway.post(withPrescreen, lead);
      const second = await gateway.post(withPrescreen, lead);
      expect(second.body).toMatchObject({ emailExists: true, rtResponse: { status: 0, PatientID: first.body.rtResponse.PatientID } });
      expect((await callsFor(lead.email)).lookup).toBe(2);
    }, onePerLead);
    for (const email of emails) expect((await callsFor(email)).v1).toBe(2);
  });

  it.concurrent('no-prescreen does not call V1 for a known e-mail, reports it, and still sends the comment', async () => {
    const email = 'ann@example.org';
    await untilHolds(async () => {
      const before = await callsFor(email);
      const { status, body } = await gateway.post(noPrescreen, newLead('', { email }));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        emailExists: true,
        rtRequestPayload: null,
        rtResponse: { status: 0, PatientID: 139712, skipped: true },
      });
      expect(body.rtV2Response.data.subjectId).toBe(139712);
      expect((await callsFor(email)).lookup - before.lookup).toBe(1);
    }, onePerLead);
    expect((await callsFor(email)).v1).toBe(0);
  });

  it.concurrent('overwrites fields of the caller that a step sets', async () => {
    const lead = newLead('', { key: 'mine', emailExists: true, data: [{ subjectId: 1 }], rtResponse: { PatientID: 1 }, rtV2Response: 'x' });
    const { body } = await gateway.post(noPrescreen, lead);
    expect(body.key).not.toBe('mine');
    expect(body).toMatchObject({ emailExists: false, rtRequestPayload: { StudyID: 12 }, rtV2Response: { error: {} } });
    expect(body.rtResponse.PatientID).not.toBe(1);
  });

  it.concurrent('fetches a rejected key again, once, and caches the new one', async () => {
    const { status, body } = await gateway.post(noPrescreen, newLead('v1-revoked'));
    expect(status).toBe(200);
    expect(body.rtResponse.status).toBe(0);
  });

  it.concurrent('cuts the comment at 2,000 characters', async () => {
    const { status, body } = await gateway.post(noPrescreen, newLead('', { condition: 'x'.repeat(3_000) }));
    expect([status, body.condition.length, body.rtV2Response.data.comment.length]).toEqual([200, 3_000, 2_000]);
  });

  it.concurrent('calls V1 once for two concurrent leads of the same person, and answers both correctly', async () => {
    const lead = newLead();
    const answers = await Promise.all([
      gateway.post(noPrescreen, lead),
      gateway.post(noPrescreen, { ...lead, email: lead.email.toUpperCase(), condition: 'Acne' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.filter(({ body }) => body.rtResponse.skipped)).toHaveLength(1);
    const { requests } = await gateway.sandbox();
    const sent = requests.filter(
      ({ call, body }) => call === 'v1' && body.toLowerCase().includes(encodeURIComponent(lead.email.toLowerCase()).toLowerCase()),
    );
    expect(sent).toHaveLength(1);
  });
});

describe('an upstream that fails', () => {
  let instances = 0;
  /** An instance of its own: one that fails for several leads at the same time would hold them. */
  const alone = (words = '') => ({ instanceName: `erg-oct.${++instances}${words}` });
  const record = expect.objectContaining({ instanceName: expect.any(String), StudyID: 12 });

  it.concurrent.each([
    ['the key is refused', '.key-404', '', 422, 'UPSTREAM_REJECTED', 'get-api-key', 'failed', 0, 404],
    ['the look-up is refused', '', 'lookup-422', 422, 'UPSTREAM_REJECTED', 'check-email', 'failed', 0, 422],
    ['the look-up answers an error in a 200', '', 'lookup-error', 422, 'UPSTREAM_REJECTED', 'check-email', 'failed', 0, 200],
    ['no key is good enough for the look-up', '', 'lookup-401', 502, 'UPSTREAM_ERROR', 'check-email', 'failed', 0, undefined],
    ['V1 refuses', '', 'v1-refused', 422, 'UPSTREAM_REJECTED', 'send-to-rt', 'failed', 1, 200],
    ['V1 answers 422', '', 'v1-422', 422, 'UPSTREAM_REJECTED', 'send-to-rt', 'failed', 1, 422],
    ['the comment is refused', '', 'comment-422', 422, 'UPSTREAM_REJECTED', 'send-comments', 'parked', 1, 422],
    ['the comment may have arrived', '', 'comment-500+readback-405', 502, 'OUTCOME_UNKNOWN', 'send-comments', 'parked', 1, undefined],
  ])(
    '%s: the answer names the step and the status of a refusal, carries the partial record without its key, and tells whether the lead was sent',
    async (_name, onInstance, onEmail, status, code, step, state, v1Calls, upstreamStatus) => {
      const lead = newLead(onEmail, alone(onInstance));
      const answer = await gateway.post(noPrescreen, lead);
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({
        success: false,
        message: expect.any(String),
        error: { code, step, retryable: status === 502 && state === 'failed', ...(upstreamStatus && { upstreamStatus }) },
        leadId: expect.any(String),
        state,
        record,
      });
      expect(answer.body.record).not.toHaveProperty('key');
      expect((await callsFor(lead.email)).v1).toBe(v1Calls);
      if (step === 'send-comments') {
        expect(answer.body.message).toMatch(/is in the site system and must not be sent again/);
        expect(answer.body.record.rtResponse.status).toBe(0);
      }
    },
  );

  it.concurrent('has the message of a rejection by the key service in the record', async () => {
    const { body } = await gateway.post(noPrescreen, newLead('', { instanceName: 'nowhere' }));
    expect([body.message, body.error.step]).toEqual([expect.stringContaining('The key service refused'), 'get-api-key']);
    expect(body.record.error).toEqual({ message: 'The key service refused to give an access key: Unknown instance' });
  });

  it.concurrent('has the message of the upstream in the field of the step', async () => {
    const { body } = await gateway.post(noPrescreen, newLead('v1-refused'));
    expect(body.record.rtResponse).toEqual({ status: 1, message: expect.any(String) });
    expect(body.record.rtRequestPayload).toMatchObject({ StudyID: 12 });
  });

  it.concurrent.each(['v1-500-after', 'v1-reset-after', 'v1-truncated', 'v1-html-after', 'v1-oversized', 'v1-incomplete'])(
    'finds the lead again after %s, and does not send it twice',
    async (sentinel) => {
      const lead = newLead(sentinel, alone());
      const { status, body } = await gateway.post(noPrescreen, lead);
      expect(status).toBe(200);
      expect(body.rtResponse).toMatchObject({ status: 0, PatientID: expect.any(Number), recovered: true });
      expect((await callsFor(lead.email)).v1).toBe(1);
    },
  );

  it.concurrent.each(['v1-500', 'v1-reset', 'v1-redirect', 'v1-html'])(
    'answers 202 verifying while nobody knows whether it arrived (%s)',
    async (sentinel) => {
      const lead = newLead(sentinel, alone());
      // The same body attaches to its run, however long that takes to get there.
      const { status, body, headers } = await until(async () => {
        const answer = await gateway.post(noPrescreen, lead, { prefer: 'wait=1' });
        return answer.body.state === 'verifying' ? answer : undefined;
      }, 'verifying');
      expect(status).toBe(202);
      expect(body).toEqual({
        success: false,
        pending: true,
        state: 'verifying',
        message: expect.any(String),
        leadId: headers.get('x-lead-id'),
        statusUrl: `/api/leads/${body.leadId}`,
      });
      expect((await callsFor(lead.email)).v1).toBe(1);
    },
  );

  it.concurrent('retries in the same run if the upstream could not be reached', async () => {
    const leads = [newLead('', alone('.key-500-x2')), newLead('lookup-500-once', alone())];
    const answers = await Promise.all(leads.map((lead) => gateway.post(noPrescreen, lead)));
    expect(answers.map(({ status, body }) => [status, body.rtResponse?.status])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    const { body: told } = await gateway.get(`/api/leads/${answers[1]?.headers.get('x-lead-id')}`);
    expect(told.steps.find(({ name }: { name: string }) => name === 'check-email')).toMatchObject({ state: 'done', attempts: 2 });
  });
});

describe('a lead of the maximum size', () => {
  // In three bytes a character, so that every copy of it on its way weighs as much as it can.
  const large = '漢'.repeat(80_000);

  it.concurrent('passes all steps with all its data', async () => {
    const { status, body } = await gateway.post(noPrescreen, newLead('', { large }));
    expect(status).toBe(200);
    expect(body.large).toBe(large);
  });

  it.concurrent('is returned completely if it is rejected, and can be read afterwards', async () => {
    const { status, body } = await gateway.post(noPrescreen, newLead('comment-422', { large }));
    expect(status).toBe(422);
    expect(body.record.large).toBe(large);
    expect((await gateway.get(`/api/leads/${body.leadId}`)).body.state).toBe('parked');
  });
});
