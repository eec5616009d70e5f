/** What the simulators of groups B, C and D take, refuse and keep. */
import { openSandbox, json, type OpenSandbox } from './open-sandbox';

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
    expect(first).toMatchObject({ siteId: '1263', revision: 1, patientInfo: { ...patientInfo, patientId: '128654' } });
    expect(first.studies?.[0]).toMatchObject({ studyId: '1541', subjectId: expect.any(String) });
    expect(second).toMatchObject({ revision: 2, patientInfo: { patientId: '128654' } });
    const [kept] = (await sandbox.state()).recruitment as unknown as { region: string; leads: unknown[] }[];
    expect([kept?.region, kept?.leads.length]).toEqual(['us', 2]);
  });

  it.each([
    [{ siteId: '9999' }, { field: 'siteId', message: 'Site not found' }],
    [{ studies: [{ studyId: '9999' }] }, { field: 'studies', message: 'Study not found' }],
    [{ patientInfo: { ...patientInfo, birthDate: '1980-03-05' } }, { field: 'patientInfo.birthDate', message: 'must be DD-MON-YYYY' }],
  ])('refuses %j', async (more, error) => {
    const seen = await recruit(more);
    expect([seen.status, json(seen)]).toEqual([400, { errors: [error] }]);
  });

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
      submission_id: 'sub_000001',
      message: 'Form submitted',
    });
    expect(json(await submit({ key: undefined }, 'header-key'))).toMatchObject({ submission_id: 'sub_000002' });
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

describe('screening', () => {
  const add = (more: object, apiKey: string) =>
    fetch(`${sandbox.urls.SCREENING_URL}/api/vip/patients`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ study_id: 1, site_id: 2, first_name: 'Ann', last_name: 'Lee', phone_number: '5552013344', ...more }),
    });

  it('creates a patient, which the state shows', async () => {
    const created = await add({}, 'any');
    expect([created.status, await created.json()]).toEqual([201, { success: true, id: 50123, message: 'Patient created' }]);
    expect((await sandbox.state()).screening).toMatchObject([{ id: 50123, phone_number: '5552013344' }]);
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
