/** What the simulators of groups B, C and D take, refuse and keep. */
import { json, leadOf, openSandbox, type OpenSandbox } from './open-sandbox';

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
beforeEach(() => sandbox.ask('/__reset', { method: 'POST' }));
afterAll(() => sandbox.close());

const patientInfo = {
  status: 'AVAILABLE',
  birthDate: '05-MAR-1980',
  sex: 'FEMALE',
  patientContact: { firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org' },
};
const recruit = (more: object = {}, { key = 'any', clientId = '4711' } = {}) =>
  sandbox.ask(`${sandbox.urls.RECRUIT_URL_US}/api/v1/patient`, {
    key,
    query: { client_id: clientId },
    json: { siteId: '1263', patientInfo, ...more },
  });

const form = {
  key: 'any',
  form_code: 'F',
  account_id: 1,
  location_id: 'L',
  source_url: 'https://a.example.org',
  first_name: 'Ann',
  last_name: 'Lee',
  email: 'ann@example.org',
};
const submit = (more: object = {}, key?: string) =>
  sandbox.ask(`${sandbox.urls.LEADFORMS_URL}/v1/forms/submit`, { key, json: { ...form, ...more } });

describe('recruitment', () => {
  it('gives the same person at the same site one more revision', async () => {
    const [first, second] = [json(await recruit({ studies: [{ studyId: '1541' }] })), json(await recruit())];
    expect(first).toMatchObject({
      siteId: '1263',
      revision: 1,
      patientInfo: { ...patientInfo, patientId: expect.stringMatching(/^\d+$/) },
    });
    expect(first.studies?.[0]).toMatchObject({ studyId: '1541', subjectId: expect.any(String) });
    expect(second).toMatchObject({ revision: 2, patientInfo: { patientId: first.patientInfo?.patientId } });
    const [kept] = (await sandbox.state()).recruitment as unknown as { region: string; leads: unknown[] }[];
    expect([kept?.region, kept?.leads.length]).toEqual(['us', 2]);
  });

  it.each([
    [{ siteId: '9999' }, { field: 'siteId', message: 'Site not found' }],
    [{ siteId: '0' }, { field: 'siteId', message: 'Site not found' }],
    [{ studies: [{ studyId: '9999' }] }, { field: 'studies', message: 'Study not found' }],
    [{ patientInfo: { ...patientInfo, birthDate: '1980-03-05' } }, { field: 'patientInfo.birthDate', message: 'must be DD-MON-YYYY' }],
  ])('refuses %j', async (more, error) => {
    const seen = await recruit(more);
    expect([seen.status, json(seen)]).toEqual([400, { errors: [error] }]);
  });

  it('takes a site whose id begins with a zero', async () => expect((await recruit({ siteId: '0042' })).status).toBe(200));

  it('wants a client id and a good token', async () => {
    expect((await recruit({}, { clientId: '' })).status).toBe(400);
    for (const key of ['', 'wrong-token', 'EXPIRED']) {
      const seen = await recruit({}, { key });
      expect([seen.status, json(seen)]).toEqual([401, { message: 'Unauthorized' }]);
    }
  });
});

describe('lead forms', () => {
  it('takes the key in the body or in the header, and keeps it nowhere', async () => {
    expect(json(await submit({ key: 'a-"quoted"-key' }))).toEqual({
      success: true,
      submission_id: expect.stringMatching(/^sub_\d+$/),
      message: 'Form submitted',
    });
    expect(json(await submit({ key: undefined }, 'header-key'))).toMatchObject({ submission_id: expect.stringMatching(/^sub_\d+$/) });
    const text = JSON.stringify(await sandbox.state());
    expect(text).not.toMatch(/quoted|header-key/);
    expect(text).toContain('[secret]');
  });

  it('refuses a wrong key and wrong fields in its own form', async () => {
    const wrong = await submit({ key: 'wrong' });
    expect([wrong.status, json(wrong)]).toEqual([401, { success: false, message: 'Invalid key' }]);
    const invalid = await submit({ email: 'nobody', form_code: 'UNKNOWN' });
    expect([invalid.status, json(invalid)]).toEqual([
      422,
      { success: false, message: 'Validation failed', errors: { form_code: ['is unknown'], email: ['is invalid'] } },
    ]);
  });
});

const add = (more: object, apiKey: string, { urls } = sandbox) =>
  fetch(`${urls.SCREENING_URL}/api/vip/patients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ study_id: 1, site_id: 2, first_name: 'Ann', last_name: 'Lee', phone_number: '5552013344', ...more }),
  });

describe('screening', () => {
  it('creates a patient, which the state shows', async () => {
    const created = await add({}, 'any');
    const answer: unknown = await created.json();
    expect([created.status, answer]).toEqual([201, { success: true, id: expect.any(Number), message: 'Patient created' }]);
    expect((await sandbox.state()).screening).toMatchObject([{ id: expect.any(Number), phone_number: '5552013344' }]);
  });

  it('refuses a wrong key and wrong fields in its own form', async () => {
    const wrong = await add({}, 'invalid-key');
    expect([wrong.status, await wrong.json()]).toEqual([401, { message: 'Unauthorized' }]);
    const invalid = await add({ study_id: 9999, race: 'caucasian' }, 'any');
    expect([invalid.status, await invalid.json()]).toEqual([
      422,
      {
        message: 'The given data was invalid.',
        errors: { study_id: ['The selected study_id is invalid.'], race: ['The selected race is invalid.'] },
      },
    ]);
  });
});

it('ids of a later start, or after a reset, are none that were given before', async () => {
  const given = async (one: OpenSandbox) => {
    const created = (await (await add({}, 'any', one)).json()) as { id: number };
    const submitted = await one.ask(`${one.urls.LEADFORMS_URL}/v1/forms/submit`, { key: 'any', json: form });
    const region = `${one.urls.RECRUIT_URL_US}/api/v1/patient`;
    const taken = await one.ask(region, { key: 'any', query: { client_id: '1' }, json: { siteId: '1', patientInfo } });
    const applied = await one.apply(await one.getKey(), leadOf('new@example.org'));
    return [created.id, json(submitted).submission_id, json(taken).patientInfo?.patientId, json(applied).PatientID];
  };
  const before = await given(sandbox);
  await sandbox.ask('/__reset', { method: 'POST' });
  const reset = await given(sandbox);
  const other = await openSandbox();
  try {
    const all = [...before, ...reset, ...(await given(other))].map(String);
    expect(new Set(all).size).toBe(12);
  } finally {
    await other.close();
  }
});
