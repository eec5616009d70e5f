/** What goes over the wire to upstreams of our own making, and what is made of what they say. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../../src/contract';
import { freePort } from '../../src/config/ports';
import { logged, startGateway, type Gateway } from '../support/gateway';
import { until } from '../support/until';
import { openUpstream, type Upstream } from '../support/upstream';

const { sendToRecruit, sendToLeadforms, sendToLeadformsSandbox, sendPatient } = endpoints;
const site = {
  name: 'Skin Care - Boca Raton',
  key: 'boca-key-1',
  form_code: 'F1',
  account_id: 1001,
  location_id: 'L1',
  source_url: 'https://boca.example.org',
};
let upstream: Upstream;
/** The port is closed at first; the system gives it to no outgoing connection. */
let awayPort: number;
let dir: string;
let gateway: Gateway;
let bounce: Gateway;
let bare: Gateway;
const sitesFile = () => join(dir, 'sites.json');
const writeSites = (sites: object, file = sitesFile()) => writeFileSync(file, JSON.stringify(sites));
const { key: _key, ...keyless } = site;

beforeAll(async () => {
  upstream = await openUpstream();
  awayPort = await freePort();
  dir = mkdtempSync(join(tmpdir(), 'leadgate-wire-'));
  writeSites({ 'skin-care-boca-raton': site, 'no-key': { ...keyless, name: 'No Key', key_env: 'LEADGATE_TEST_NO_SUCH_KEY' } });
  writeFileSync(join(dir, 'maps.json'), JSON.stringify({ race: { latino: 'White' } }));
  const urls = {
    RECRUIT_URL_US: `${upstream.url}/base/`,
    RECRUIT_URL_CANADA: `http://127.0.0.1:${awayPort}`,
    LEADFORMS_URL: upstream.url,
    SCREENING_URL: upstream.url,
  };
  const files = { LEADFORMS_SITES_FILE: sitesFile(), SCREENING_MAPS_FILE: join(dir, 'maps.json') };
  gateway = await startGateway({ settings: { ...urls, ...files, SCREENING_API_KEY: 'server-key-1', LEADFORMS_KEY_IN: 'both' } });
  bounce = await startGateway({ settings: { SCR_SANDBOX_BOUNCE_MODE: 'true' } });
  bare = await startGateway({ settings: urls });
});
afterAll(async () => {
  await gateway.stop();
  await bounce.stop();
  await bare.stop();
  await upstream.close();
  rmSync(dir, { recursive: true });
});
beforeEach(() => void (upstream.received.length = 0));

const recruitAnswer = { siteId: '1263', revision: 1, patientInfo: { patientId: '128654' } };
let people = 0;
const someone = () => ({ email: `wire-${process.pid}-${++people}@example.org` });

describe('a forwarded request', () => {
  it('sends a recruitment lead to its region, with the client id in the query and the token in a header', async () => {
    upstream.answerWith({ body: recruitAnswer });
    const lead = { ...sendToRecruit.example, ...someone(), environment: 'US', clientId: 'a b&c', workPhone: '15552013346', unknown: 1 };
    const { status, body, headers } = await gateway.post(sendToRecruit.path, lead);
    expect(status).toBe(200);
    const report = await gateway.get(`/api/leads/${headers.get('x-lead-id')}`);
    for (const answer of [headers, report.headers]) expect(answer.get('x-leadgate-sandbox')).toBeNull();
    const [request] = upstream.received;
    expect(request).toMatchObject({ method: 'POST', url: '/base/api/v1/patient?client_id=a+b%26c' });
    expect(request?.headers.authorization).toBe('Bearer sandbox-token');
    expect(request?.body).toEqual({
      siteId: '1263',
      patientInfo: {
        status: 'AVAILABLE',
        birthDate: '05-MAR-1980',
        sex: 'FEMALE',
        patientContact: {
          firstName: 'Ann',
          lastName: 'Lee',
          email: lead.email,
          cellPhone: '555-201-3344',
          workPhone: '555-201-3346',
          postalCode: '33432',
        },
        patientReferralSource: { patientReferralSourceCategoryKey: 5, patientReferralSourceKey: 32836 },
      },
      studies: [{ studyId: '1541', subjectStatus: 'INTERESTED', recruitmentStatus: 'PROSPECT' }],
    });
    expect(body).toEqual({ success: true, recruitPayload: request?.body, recruitResponse: recruitAnswer });
  });

  it('fills a lead form from the site, and drops site, location, sponsor, protocol and unknown fields', async () => {
    upstream.answerWith({ body: { success: true, submission_id: 'sub_1', message: 'Form submitted' } });
    const lead = { ...sendToLeadforms.example, ...someone(), location: 'x', answer_3: 'unpaired', unknown: 1, patient_photo_url: '' };
    const { status, body } = await gateway.post(sendToLeadforms.path, lead);
    expect(status).toBe(200);
    const [request] = upstream.received;
    expect(request?.url).toBe('/v1/forms/submit');
    expect(request?.headers.authorization).toBe('Bearer boca-key-1');
    const {
      site: _site,
      location: _location,
      sponsor: _sponsor,
      protocol: _protocol,
      unknown: _unknown,
      patient_photo_url: _photo,
      ...own
    } = lead;
    const { name: _name, ...filled } = site;
    expect(request?.body).toEqual({ ...filled, campaign_name: 'Acme - Skin Care - Boca Raton', ...own });
    expect(body.leadformsResponse).toEqual({ success: true, submission_id: 'sub_1', message: 'Form submitted' });
    expect(JSON.stringify(body)).not.toContain('boca-key-1');
  });

  it('sends a patient with the key of the server or the caller, and without a key in the body', async () => {
    for (const [more, key] of [
      [{}, 'server-key-1'],
      [{ 'x-api-key': 'callers-key' }, 'callers-key'],
    ] as const) {
      upstream.answerWith({ status: 201, body: { success: true, id: 50123, message: 'Patient created' } });
      const lead = {
        ...sendPatient.example,
        ...someone(),
        ...more,
        race: 'LATINO',
        questions: undefined,
        question_2: 'b',
        answer_2: 'B',
        question_1: 'a',
      };
      const { status, body } = await gateway.post(sendPatient.path, lead);
      expect([status, body.screeningResponse.id]).toEqual([200, 50123]);
      const request = upstream.received.at(-1);
      expect([request?.url, request?.headers['x-api-key']]).toEqual(['/api/vip/patients', key]);
      expect(request?.body).toEqual({
        study_id: 1201,
        site_id: 33,
        email: lead.email,
        first_name: 'Ann',
        last_name: 'Lee',
        phone_number: '5552013344',
        date_of_birth: '1980-03-05',
        postal_code: '33432',
        gender: 'Female',
        race: 'White',
        height: 65,
        height_unit: 'in',
        weight: 140,
        weight_unit: 'lb',
        recruitment_status: 'Referral',
        questions: [{ question: 'a' }, { question: 'b', answer: 'B' }],
      });
    }
  });
});

describe('a redriven patient', () => {
  const reason = 'the input is mended';
  const refusal = { status: 422, body: { success: false, message: 'no' } };
  async function refused(fields: object, status = 422) {
    upstream.answerWith({ ...refusal, status });
    const lead = { ...sendPatient.example, questions: undefined, ...someone(), ...fields };
    return String((await gateway.post(sendPatient.path, lead)).body.leadId);
  }
  const redrive = (leadId: string, fields: object) => gateway.post(`/api/leads/${leadId}/redrive`, { reason, fields });
  async function delivered(leadId: string, fields: object) {
    upstream.answerWith({ status: 201, body: { success: true, id: 50124 } });
    expect((await redrive(leadId, fields)).status).toBe(200);
    const { body } = await gateway.get(`/api/leads/${leadId}?wait=60`);
    expect(body.state).toBe('delivered');
    return { sent: upstream.received.at(-1), changed: body.attempts.at(-1).changed };
  }
  const [question, other] = ['Eczema?', 'Asthma?'];

  it('has the corrected answer of a numbered pair, and the other pairs unchanged', async () => {
    const leadId = await refused({ question_1: question, answer_01: 'No', question_2: other, answer_2: 0 });
    const { sent, changed } = await delivered(leadId, { answer_1: ' Yes ' });
    expect(sent?.body.questions).toEqual([
      { question, answer: 'Yes' },
      { question: other, answer: '0' },
    ]);
    expect(changed).toEqual(['answer_1']);
  });

  it('has a corrected list instead of its pairs', async () => {
    const leadId = await refused({ question_1: question, answer_1: 'No' });
    const questions = [{ question: other, answer: 'Yes' }];
    const { sent, changed } = await delivered(leadId, { questions, answer_1: 'Yes' });
    expect(sent?.body.questions).toEqual(questions);
    expect(changed.toSorted()).toEqual(['answer_1', 'question_1', 'questions']);
  });

  it('is rejected if a corrected pair would have no effect because of its list', async () => {
    const leadId = await refused({ questions: [{ question, answer: 'No' }] });
    const { status, body } = await redrive(leadId, { answer_1: 'Yes' });
    expect([status, body.error.details]).toEqual([
      400,
      [{ field: 'fields.answer_1', message: expect.stringContaining('Correct questions instead') }],
    ]);
    const { sent } = await delivered(leadId, { questions: null, question_1: question, answer_1: 'Yes' });
    expect(sent?.body.questions).toEqual([{ question, answer: 'Yes' }]);
  });

  it.each(['key', 'apiKey', 'x-api-key'])('is sent with the key that was corrected as %s, which no answer contains', async (name) => {
    for (const before of ['key', 'apiKey', 'x-api-key']) {
      const leadId = await refused({ [before]: 'old-key-1' }, 401);
      const { sent, changed } = await delivered(leadId, { [name]: 'new-key-1' });
      expect([sent?.headers['x-api-key'], changed]).toEqual(['new-key-1', ['key']]);
      const story = (await gateway.get(`/api/leads/${leadId}/exchanges`)).body;
      expect(JSON.stringify([sent?.body, story])).not.toMatch(/(old|new)-key-1/);
      expect(story.mended).toEqual([{ field: 'key', before: expect.any(String), after: expect.any(String) }]);
    }
  });

  it('is sent with the server’s key if the caller’s is removed', async () => {
    const leadId = await refused({ key: 'old-key-1' }, 401);
    expect((await delivered(leadId, { apiKey: null })).sent?.headers['x-api-key']).toBe('server-key-1');
  });
});

describe('the answer of the upstream', () => {
  const post = (fields = {}) => gateway.post(sendToRecruit.path, { ...sendToRecruit.example, ...someone(), environment: 'us', ...fields });

  it.each([
    [400, { errors: [{ field: 'siteId', message: 'Site not found' }] }],
    [200, { ...recruitAnswer, errors: [{ field: 'studyId', message: 'closed' }] }],
    [200, { ...recruitAnswer, success: false, message: 'no' }],
    [409, { message: 'duplicate' }],
  ])('no, with %i, is a 422 with its words', async (status, words) => {
    upstream.answerWith({ status, body: words });
    const { status: answered, body } = await post();
    expect([answered, body.recruitResponse, body.recruitPayload.siteId]).toEqual([422, words, '1263']);
  });

  it.each([
    [404, '<html>Not found</html>'],
    [200, '[]'],
    [200, '"ok"'],
    [200, {}],
    [503, { message: 'later' }],
  ])('nonsense, with %i %j, is not answered as if it were known', async (status, words) => {
    upstream.answerWith({ status, body: words });
    const { status: answered, body } = await post();
    expect([answered, body.error.code, body.recruitResponse]).toEqual([502, 'OUTCOME_UNKNOWN', undefined]);
    expect(upstream.received).toHaveLength(1);
    // An upstream that answers in between is not held.
    upstream.answerWith({ body: recruitAnswer });
    expect((await post()).status).toBe(200);
  });

  it('is returned without the caller’s secret, whether as a text, in a text or as a name', async () => {
    const bearerToken = 'echo-a/b-123456';
    upstream.answerWith({
      status: 422,
      body: `{"message":"token echo-a\\/b-123456 is not for this","${bearerToken}":[{"deep":"${bearerToken}"}]}`,
    });
    const { status, body } = await post({ bearerToken });
    expect(status).toBe(422);
    expect(body.recruitResponse).toEqual({ message: 'token [secret] is not for this', '[secret]': [{ deep: '[secret]' }] });
    expect(logged.join('\n')).not.toContain(bearerToken);
  });

  it('becomes 502 if it rejects the server’s key, and 401 for the caller’s', async () => {
    const refusal = { status: 401, body: { success: false, message: 'Invalid key' } };
    const lead = { ...sendToLeadforms.example, ...someone() };
    upstream.answerWith(refusal);
    const own = await gateway.post(sendToLeadforms.path, lead);
    expect([own.status, own.body.error.code, own.body.leadformsResponse]).toEqual([502, 'UPSTREAM_ERROR', refusal.body]);
    upstream.answerWith({ ...refusal, status: 403 });
    const theirs = await gateway.post(sendToLeadforms.path, { ...lead, key: 'mine' });
    expect([theirs.status, theirs.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('an unreachable upstream', () => {
  it('gets the waiting lead when it is back, and the same body attaches to that lead', async () => {
    const lead = { ...sendToRecruit.example, ...someone(), environment: 'canada' };
    const { leadId } = (await gateway.post(sendToRecruit.path, lead, { prefer: 'respond-async' })).body;
    await until(async () => (await gateway.get(`/api/leads/${leadId}`)).body.state === 'waiting', 'it waits');
    const back = await openUpstream(awayPort);
    back.answerWith({ body: recruitAnswer });
    const second = await gateway.post(sendToRecruit.path, lead);
    expect([second.status, second.body.recruitResponse]).toEqual([200, recruitAnswer]);
    expect(second.headers.get('x-lead-id')).toBe(leadId);
    expect(back.received).toHaveLength(1);
    await back.close();
  });
});

describe('bounce mode', () => {
  it('sends nothing, and exists only in the sandbox variant', async () => {
    const lead = { ...sendToLeadformsSandbox.example, ...someone() };
    const { status, body, headers } = await bounce.post(sendToLeadformsSandbox.path, lead);
    expect([status, headers.get('x-leadgate-sandbox')]).toEqual([200, null]);
    expect(Object.keys(body)).toEqual(['success', 'bounceMode', 'message', 'payload']);
    expect(body).toMatchObject({ success: true, bounceMode: true, payload: { key: '[secret]', account_id: 1001, email: lead.email } });
    expect((await bounce.sandbox()).calls).toEqual({});
    expect((await bounce.get(`/api/leads/${headers.get('x-lead-id')}`)).body.state).toBe('skipped');
    const production = await bounce.post(sendToLeadforms.path, lead);
    expect([production.status, production.body.bounceMode]).toEqual([200, undefined]);
    expect((await bounce.sandbox()).calls).toEqual({ leadforms: 1 });
  });
});

describe('settings', () => {
  it('that are missing are named, and nothing is sent', async () => {
    const patient = await bare.post(sendPatient.path, { ...sendPatient.example, ...someone() });
    expect([patient.status, patient.body.error.code, patient.body.message]).toEqual([
      503,
      'CONFIG_ERROR',
      expect.stringContaining('SCREENING_API_KEY'),
    ]);
    const form = await bare.post(sendToLeadforms.path, { ...sendToLeadforms.example, ...someone() });
    expect([form.status, form.body.message]).toEqual([503, expect.stringContaining('LEADFORMS_SITES_FILE')]);
    const keyless = await gateway.post(sendToLeadforms.path, { ...sendToLeadforms.example, ...someone(), site: 'no-key' });
    expect([keyless.status, keyless.body.message]).toEqual([503, expect.stringContaining('LEADGATE_TEST_NO_SUCH_KEY')]);
    expect(upstream.received).toHaveLength(0);
    expect((await gateway.get('/api/scr/sites')).body.sites.map((one: { key: string }) => one.key)).toEqual(['set', 'unset']);
    expect((await bare.get('/api/scr/sites')).body).toEqual({ success: true, count: 0, sites: [] });
  });

  it('of the sites are reloaded without a restart, and an invalid file is ignored', async () => {
    const file = join(dir, 'changing.json');
    const write = (changed: object) => writeSites({ 'skin-care-boca-raton': { ...site, ...changed } }, file);
    write({});
    const own = await startGateway({ settings: { LEADFORMS_URL: upstream.url, LEADFORMS_SITES_FILE: file } });
    const send = async () => {
      upstream.answerWith({ body: { success: true } });
      const { status } = await own.post(sendToLeadforms.path, { ...sendToLeadforms.example, ...someone() });
      return [status, upstream.received.at(-1)?.body.key, upstream.received.at(-1)?.body.form_code];
    };
    try {
      expect(await send()).toEqual([200, 'boca-key-1', 'F1']);
      write({ key: 'boca-key-2', form_code: 'F2' });
      expect(await send()).toEqual([200, 'boca-key-2', 'F2']);
      write({ account_id: 'many' });
      expect(await send()).toEqual([200, 'boca-key-2', 'F2']);
    } finally {
      await own.stop();
    }
    expect(logged.join('')).toMatch(/invalid configuration file.*skin-care-boca-raton\.account_id: must be a whole number/);
    expect(logged.join('')).not.toContain('boca-key');
  });
});
