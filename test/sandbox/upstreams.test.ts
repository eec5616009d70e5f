/** Tests what the simulators accept, refuse and store. */
import { csvRows } from '../../src/lib/csv';
import { until } from '../support/until';
import { json, leadOf, openSandbox, type OpenSandbox } from './open-sandbox';

let sandbox: OpenSandbox;
beforeAll(async () => void (sandbox = await openSandbox()));
beforeEach(() => sandbox.ask('/__reset', { method: 'POST' }));
afterAll(() => sandbox.close());

describe('the site system', () => {
  const unauthorizedV2 = {
    data: null,
    error: { code: 'UNAUTHORIZED', message: 'Invalid or expired key' },
    meta: { totalItems: 0 },
    links: {},
  };

  describe('the key service', () => {
    it('returns a key and its creation time as an HTTP date', async () => {
      const { key, created } = json(await sandbox.askKey());
      expect(key).toMatch(/^[\x21-\x7e]+$/);
      expect(created).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    });

    it.each([
      ['ERG', 'erg-oct', 200],
      ['erg', 'erg-oct', 200],
      ['Futuro', 'futuro-main', 200],
      ['Futuro', 'erg-oct', 404],
      ['ERG', 'erg-may', 404],
    ])('account %s, instance %s: %i', async (account, instanceName, status) => {
      const seen = await sandbox.askKey(instanceName, account);
      expect(seen.status).toBe(status);
      if (status === 404) expect(json(seen)).toEqual({ error: 'Unknown instance' });
    });

    it.each([['{}'], ['[]'], ['{'], ['{"account":"ERG"}'], ['{"instanceName":"erg-oct"}']])(
      'refuses %s without giving a key',
      async (body) => {
        const seen = await sandbox.ask(sandbox.urls.KEY_SERVICE_URL, { json: body });
        expect([400, 422]).toContain(seen.status);
        expect(json(seen).key).toBeUndefined();
      },
    );

    it('of one account does not accept the other', async () => {
      const asErg = { json: { account: 'ERG', instanceName: 'erg-oct' } };
      expect((await sandbox.ask(sandbox.urls.KEY_SERVICE_URL_ERG, asErg)).status).toBe(200);
      expect((await sandbox.ask(sandbox.urls.KEY_SERVICE_URL_FUTURO, asErg)).status).toBe(422);
    });
  });

  describe('keys', () => {
    it('are required, and give access only to their instance', async () => {
      const key = await sandbox.getKey();
      expect(json(await sandbox.lookUp('ann@example.org', 'wrong'))).toEqual(unauthorizedV2);
      expect((await sandbox.lookUp('ann@example.org', key, 'erg-tampa')).status).toBe(401);
      expect(json(await sandbox.apply('wrong', leadOf('x@example.org')))).toEqual({ status: 401, message: 'Unauthorized' });
    });

    it('can all be revoked', async () => {
      const key = await sandbox.getKey();
      expect(json(await sandbox.ask('/__revoke', { method: 'POST' }))).toEqual({ revoked: 1 });
      expect((await sandbox.lookUp('ann@example.org', key)).status).toBe(401);
      expect((await sandbox.apply(key, leadOf('x@example.org'))).status).toBe(401);
    });

    it('expire', async () => {
      const shortLived = await openSandbox({ keyLifetimeMs: 1 });
      const key = await shortLived.getKey();
      const isRefused = async () => (await shortLived.lookUp('ann@example.org', key)).status === 401;
      expect(await until(isRefused, 'the key has expired')).toBe(true);
      await shortLived.close();
    });
  });

  describe('the look-up', () => {
    it('finds a subject regardless of the case of the e-mail', async () => {
      const found = json(await sandbox.lookUp('ANN@example.org', await sandbox.getKey()));
      const ann = {
        subjectId: 139712,
        firstName: 'Ann',
        lastName: 'Lee',
        email: 'ann@example.org',
        phone: '555-201-3344',
        dob: '1980-03-05',
      };
      expect(found).toEqual({ data: [ann], error: {}, meta: { totalItems: 1 }, links: {} });
    });

    it('finds nobody, or everybody with a shared e-mail', async () => {
      const key = await sandbox.getKey();
      expect(json(await sandbox.lookUp('nobody@example.org', key))).toEqual({ data: [], error: {}, meta: { totalItems: 0 }, links: {} });
      expect(json(await sandbox.lookUp('family@example.org', key)).meta).toEqual({ totalItems: 2 });
    });

    it('requires the e-mail and the instance', async () => {
      const key = await sandbox.getKey();
      const withoutEmail = await sandbox.ask(sandbox.v2('/subjects'), { key, query: { instanceName: 'erg-oct' } });
      const withoutInstance = await sandbox.ask(sandbox.v2('/subjects'), { key, query: { email: 'ann@example.org' } });
      for (const seen of [withoutEmail, withoutInstance]) {
        expect(seen.status).toBe(422);
        expect(json(seen).error?.code).toBe('VALIDATION_ERROR');
      }
    });
  });

  describe('V1 apply', () => {
    const apply = async (fields: Record<string, string>) => json(await sandbox.apply(await sandbox.getKey(), fields));

    it('creates a patient, and the same one for the same e-mail', async () => {
      const first = await apply(leadOf('new@example.org'));
      expect(first).toEqual({ status: 0, PatientID: expect.any(Number), message: 'Patient added successfully' });
      const again = await apply(leadOf('NEW@example.org'));
      expect(again).toEqual({ status: 0, PatientID: first.PatientID, message: 'Patient updated successfully' });
      expect((await apply(leadOf('other@example.org'))).PatientID).not.toBe(first.PatientID);
      expect((await apply(leadOf('ann@example.org'))).PatientID).toBe(139712);
    });

    it('accepts JSON with bracket names and numbers like a form', async () => {
      const fields = { ...leadOf('json@example.org'), StudyID: 12, ReferrerID: 7, 'questions[101]': 1, 'questions[102]': 2 };
      const seen = await sandbox.ask(sandbox.urls.CLINICSYS_V1_APPLY_URL, { key: await sandbox.getKey(), json: fields });
      expect(json(seen).status).toBe(0);
      await apply(leadOf('form@example.org'));
      const { clinicsys } = await sandbox.state();
      const [fromJson, fromForm] = JSON.parse(JSON.stringify(clinicsys?.[0]?.subjects)).slice(-2);
      expect({ ...fromJson.applications[0], Email: '' }).toEqual({ ...fromForm.applications[0], Email: '' });
    });

    it('creates a new patient for each lead without an e-mail', async () => {
      const lead = leadOf('');
      expect((await apply(lead)).PatientID).not.toBe((await apply(lead)).PatientID);
    });

    it.each([
      ['StudyID', '', 'StudyID is required'],
      ['StudyID', 'twelve', 'StudyID must be a number'],
      ['ReferrerID', '', 'ReferrerID is required'],
      ['FirstName', '', 'FirstName is required'],
      ['LastName', '', 'LastName is required'],
      ['DOB', '03/05/1980', 'DOB must be YYYY-MM-DD'],
      ['Sex', 'Male', 'Sex must be M or F'],
      ['questions[101]', 'Yes', 'questions must be sent as questions[<id>], each 0, 1 or 2'],
      ['questions[q101]', '1', 'questions must be sent as questions[<id>], each 0, 1 or 2'],
    ])('refuses %s "%s" with status 1', async (name, value, message) => {
      expect(await apply({ ...leadOf('refused@example.org'), [name]: value })).toEqual({ status: 1, message });
      expect(json(await sandbox.lookUp('refused@example.org', await sandbox.getKey())).meta).toEqual({ totalItems: 0 });
    });

    it('refuses a lead without e-mail and phone', async () => {
      expect(await apply({ ...leadOf(''), Phone: '' })).toEqual({ status: 1, message: 'Email or Phone is required' });
    });

    it.each([
      ['{', 'application/json'],
      ['{"StudyID":{"nested":1}}', 'application/json'],
      ['StudyID=12', 'text/plain'],
    ])('refuses %s as %s', async (body, type) => {
      expect((await sandbox.ask(sandbox.urls.CLINICSYS_V1_APPLY_URL, { key: await sandbox.getKey(), json: body, type })).status).toBe(400);
    });

    it('separates instances and accounts', async () => {
      await apply(leadOf('apart@example.org'));
      const key = await sandbox.getKey('futuro-main', 'Futuro');
      expect(json(await sandbox.lookUp('apart@example.org', key, 'futuro-main')).meta).toEqual({ totalItems: 0 });
    });

    it('shares the data among the names of an instance', async () => {
      await apply(leadOf('shared@example.org'));
      const key = await sandbox.getKey('erg-oct.sites-500');
      expect(json(await sandbox.lookUp('shared@example.org', key, 'erg-oct.sites-500')).meta).toEqual({ totalItems: 1 });
    });
  });

  describe('comments', () => {
    it('are stored, and read back in order', async () => {
      const key = await sandbox.getKey();
      const taken = await sandbox.commentsOf(139712, key, 'first');
      expect([200, 201]).toContain(taken.status);
      expect(json(taken)).toEqual({ data: { subjectId: 139712, comment: 'first' }, error: {}, links: {} });
      await sandbox.commentsOf(139712, key, 'second');
      expect(json(await sandbox.commentsOf(139712, key))).toMatchObject({
        data: [
          { subjectId: 139712, comment: 'first' },
          { subjectId: 139712, comment: 'second' },
        ],
        meta: { totalItems: 2 },
      });
    });

    it('require a subject and a text', async () => {
      const key = await sandbox.getKey();
      expect((await sandbox.commentsOf(1, key, 'text')).status).toBe(404);
      expect((await sandbox.commentsOf(1, key)).status).toBe(404);
      expect((await sandbox.commentsOf(139712, key, ' ')).status).toBe(422);
    });

    it("read sentinels from the subject's e-mail too", async () => {
      const key = await sandbox.getKey();
      const { PatientID } = json(await sandbox.apply(key, leadOf('ann+comment-500-once@example.org')));
      expect((await sandbox.commentsOf(PatientID, key, 'text')).status).toBe(500);
      expect((await sandbox.commentsOf(PatientID, key, 'another text')).status).toBe(201);
    });
  });

  describe('the lists', () => {
    const get = async (path: string, query: Record<string, string> = {}) =>
      sandbox.ask(sandbox.v2(path), { key: await sandbox.getKey(), query: { instanceName: 'erg-oct', ...query } });

    it.each([
      ['/sites', 2, 1, ['siteId', 'siteName', 'city', 'state']],
      ['/studies', 3, 2, ['studyId', 'studyName', 'protocol', 'siteName', 'status']],
      ['/interview-questions', 4, 3, ['questionId', 'studyId', 'siteName', 'question']],
    ])('%s returns all, or those of a site', async (path, all, ofSite, names) => {
      const whole = json(await get(path));
      expect(whole.data).toHaveLength(all);
      expect(whole.meta).toEqual({ totalItems: all });
      expect(Object.keys(whole.data?.[0] ?? {})).toEqual(names);
      expect(json(await get(path, { siteName: 'Boca Raton Clinical Research' })).data).toHaveLength(ofSite);
      expect(json(await get(path, { siteName: 'Nowhere' })).data).toHaveLength(0);
    });

    it('referral sources belong to a site', async () => {
      const found = json(await get('/sites/Boca%20Raton%20Clinical%20Research/referral-sources'));
      expect(found.data).toContainEqual({ referrerId: 7, name: 'Facebook', siteName: 'Boca Raton Clinical Research' });
      expect(found.meta).toEqual({ totalItems: 2 });
      expect((await get('/sites/Nowhere/referral-sources')).status).toBe(404);
    });

    it("patient statuses are a subject's, and a new lead adds one", async () => {
      const { PatientID } = json(await sandbox.apply(await sandbox.getKey(), leadOf('status@example.org')));
      const report = json(await get('/reports/patient-statuses', { subjectID: String(PatientID) }));
      expect(report.data).toEqual([
        { subjectId: PatientID, studyId: 12, studyName: 'Eczema in Adults', status: 'New', statusDate: expect.any(String) },
      ]);
      expect(json(await get('/reports/patient-statuses', { subjectID: '139712' })).meta).toEqual({ totalItems: 2 });
      expect((await get('/reports/patient-statuses', { subjectID: '1' })).status).toBe(404);
      expect((await get('/reports/patient-statuses')).status).toBe(422);
    });

    it.each([
      ['sites', '/sites'],
      ['studies', '/studies'],
      ['questions', '/interview-questions'],
      ['referrers', '/sites/Boca%20Raton%20Clinical%20Research/referral-sources'],
    ])('%s reads sentinels from the instance', async (call, path) => {
      const instanceName = `erg-oct.${call}-429-once`;
      const key = await sandbox.getKey(instanceName);
      const ask = async () => (await sandbox.ask(sandbox.v2(path), { key, query: { instanceName } })).status;
      expect([await ask(), await ask()]).toEqual([429, 200]);
    });
  });
});

describe('groups B, C and D', () => {
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
    it('adds a revision for the same person at the same site', async () => {
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

    it('accepts a site id with a leading zero', async () => expect((await recruit({ siteId: '0042' })).status).toBe(200));

    it('requires a client id and a valid token', async () => {
      expect((await recruit({}, { clientId: '' })).status).toBe(400);
      for (const key of ['', 'wrong-token', 'EXPIRED']) {
        const seen = await recruit({}, { key });
        expect([seen.status, json(seen)]).toEqual([401, { message: 'Unauthorized' }]);
      }
    });
  });

  describe('lead forms', () => {
    it('accepts the key in the body or in the header, and does not store it', async () => {
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

    it('refuses a wrong key and invalid fields in its own format', async () => {
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

    it('refuses a wrong key and invalid fields in its own format', async () => {
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

  describe('what is not stored once', () => {
    const commas = 'o"nce,once@example.org';
    const emailWith = (effect: string, call: string) => `ann+${call}-${effect}@example.org`;
    const sends: Readonly<Record<string, (email: string) => Promise<unknown>>> = {
      recruitment: async (email) => {
        const patientContact = { ...patientInfo.patientContact, email };
        return json(await recruit({ patientInfo: { ...patientInfo, patientContact } })).patientInfo?.patientId;
      },
      leadforms: async (email) => json(await submit({ email })).submission_id,
      screening: async (email) => ((await (await add({ email }, 'any')).json()) as { id: number }).id,
    };
    const callNames: Readonly<Record<string, string>> = { recruitment: 'recruit' };

    async function cellsOf(text: string) {
      const rows: (readonly string[])[] = [];
      for await (const { cells } of csvRows(text)) rows.push(cells);
      return rows;
    }

    it.each(Object.entries(sends))('%s answers with an id, and its export has none or two', async (upstream, send) => {
      const call = callNames[upstream] ?? upstream;
      const [forgotten, doubled, once] = [
        await send(emailWith('forgotten', call)),
        await send(emailWith('doubled', call)),
        await send(commas),
      ];
      const exported = await sandbox.ask(`/__exports/${upstream}.csv`);
      expect(exported.headers['content-type']).toBe('text/csv; charset=utf-8');
      const [head = [], ...rows] = await cellsOf(exported.text);
      const idsOf = (email: string) => rows.filter((cells) => cells[head.indexOf('email')] === email).map(([id]) => id);
      expect(forgotten).toBeTruthy();
      expect(idsOf(emailWith('forgotten', call))).toEqual([]);
      expect(idsOf(emailWith('doubled', call))).toEqual([String(doubled), expect.not.stringMatching(String(doubled))]);
      expect(idsOf(commas)).toEqual([String(once)]);
      const dateAt = head.findIndex((name) => /^(created|submitted)_?at$/i.test(name));
      for (const cells of rows) expect(cells[dateAt]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    });
  });

  it('ids after a restart or a reset are new', async () => {
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
});
