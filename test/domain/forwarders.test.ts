/** What each forwarded lead becomes, and how its answer is read. */
import * as fc from 'fast-check';
import { slugOf } from '../../src/domain/formats';
import { leadforms, leadformsPayload, slugsOf, type Site } from '../../src/domain/leadforms';
import { recruit, recruitPayload } from '../../src/domain/recruit';
import { questionsOf, screening, screeningPayload } from '../../src/domain/screening';

describe('lead forms', () => {
  const site: Site = {
    slug: 'skin-care-boca-raton',
    name: 'Skin Care - Boca Raton',
    form_code: 'F1',
    account_id: 1001,
    location_id: 'L1',
    source_url: 'https://boca.example.org',
  };
  const setup = { campaignTemplate: '{sponsor} - {location}', keyInBody: true };
  const payloadOf = (body: Record<string, unknown>, more = {}) => leadformsPayload({ ...setup, body, ...more });

  describe('the lead form', () => {
    it('is filled from the site configuration, with a placeholder for the key', () => {
      const { payload, origins } = payloadOf(
        { site: 'Skin Care - Boca Raton', first_name: 'Ann', sponsor: 'Acme', protocol: 'P1' },
        { site },
      );
      expect(payload).toEqual({
        key: '[secret]',
        form_code: 'F1',
        account_id: 1001,
        location_id: 'L1',
        source_url: 'https://boca.example.org',
        campaign_name: 'Acme - Skin Care - Boca Raton',
        first_name: 'Ann',
      });
      expect(origins).toEqual({
        key: 'site configuration',
        form_code: 'site configuration',
        account_id: 'site configuration',
        location_id: 'site configuration',
        source_url: 'site configuration',
        campaign_name: 'rule',
        first_name: 'caller',
      });
    });

    it('prefers the caller’s value', () => {
      const own = {
        key: 'own',
        form_code: 'F9',
        account_id: 9,
        location_id: 'L9',
        source_url: 'https://x.example.org',
        campaign_name: 'Mine',
      };
      const { payload, origins } = payloadOf({ ...own, sponsor: 'Acme', protocol: 'P', location: 'Boca' }, { site });
      expect(payload).toEqual({ ...own, key: '[secret]' });
      expect(new Set(Object.values(origins))).toEqual(new Set(['caller']));
    });

    it.each([
      ['the site found', { sponsor: 'Acme', protocol: 'P', location: 'skin-care-boca-raton' }, { site }, 'Acme - Skin Care - Boca Raton'],
      ['the text of the location', { sponsor: 'Acme', protocol: 'P', location: 'Miami' }, {}, 'Acme - Miami'],
      ['the text of the site', { sponsor: 'Acme', protocol: 'P', site: 'Miami' }, {}, 'Acme - Miami'],
      ['nothing, without a protocol', { sponsor: 'Acme', location: 'Miami' }, {}, undefined],
      ['nothing, without a place', { sponsor: 'Acme', protocol: 'P' }, {}, undefined],
      [
        'a template',
        { sponsor: '{location}', protocol: '$1', location: 'M' },
        { campaignTemplate: '{protocol}/{sponsor}/{location}' },
        '$1/{location}/M',
      ],
    ])('builds the campaign name from %s', (_, body, more, expected) => expect(payloadOf(body, more).payload.campaign_name).toBe(expected));

    it('has no key if the key is sent in the header', () =>
      expect(payloadOf({ key: 'own' }, { site, keyInBody: false }).payload).not.toHaveProperty('key'));

    it('keeps the questions in order, even without an answer', () =>
      expect(
        Object.keys(payloadOf({ answer_2: 'b', question_15: 'z', question_1: 'a', answer_1: 'a' }, { keyInBody: false }).payload),
      ).toEqual(['question_1', 'answer_1', 'answer_2', 'question_15']));
  });

  describe('a slug', () => {
    it.each([
      ['Skin Care - Boca Raton', 'skin-care-boca-raton'],
      ['Skin & Beauty Center', 'skin-beauty-center'],
      ['  First  OC – Dermatology_Research! ', 'first-oc-dermatology-research'],
      ['!!!', ''],
    ])('of %s is %s', (name, slug) => expect(slugOf(name)).toBe(slug));

    it('finds a site with an ampersand by both spellings', () =>
      expect(slugsOf({ slug: 'skin-beauty-center', name: 'Skin & Beauty Center' })).toEqual([
        'skin-beauty-center',
        'skin-and-beauty-center',
      ]));

    it('of a slug is the slug itself, for any Unicode', () =>
      fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (name) => expect(slugOf(slugOf(name))).toBe(slugOf(name)))));
  });

  describe('an answer of the lead forms', () => {
    it.each([
      { success: true, submission_id: 'sub_1' },
      { submission_id: 'sub_1' },
      { success: true, errors: {} },
      { success: true, errors: { phone_number: ['normalised'] } },
      { success: true, error: 'none' },
    ])('is accepted: %j', (body) => expect(leadforms.read(body)).toEqual({ accepted: { response: body } }));
    it.each([{ success: false }, { success: false, errors: { email: ['is invalid'] } }])('is a refusal: %j', (body) =>
      expect(leadforms.read(body)).toEqual({ refused: true }),
    );
    it.each([{ success: 'False', submission_id: 'sub_1' }, { success: 0 }, { errors: { email: ['is invalid'] } }, [], 'ok', null, true])(
      'is unreadable: %j',
      (body) => expect(leadforms.read(body)).toEqual({ unclear: expect.any(String) }),
    );
  });
});

describe('recruitment system', () => {
  const full = {
    bearerToken: 'token',
    clientId: '4711',
    siteId: '1263',
    environment: 'us',
    firstName: 'Ann',
    lastName: 'Lee',
    email: 'ann@example.org',
    phone: '555-201-3344',
    homePhone: '555-201-3345',
    workPhone: '555-201-3346',
    dob: '03/05/1980',
    sex: 'Female',
    postalCode: '33432',
    studyId: '1541',
    subjectStatus: 'INTERESTED',
    recruitmentStatus: 'PROSPECT',
    patientReferralSourceCategoryKey: 5,
    patientReferralSourceKey: 32836,
  };

  describe('the recruitment payload', () => {
    it('has every field in its place, and no credential', () =>
      expect(recruitPayload(full).payload).toEqual({
        siteId: '1263',
        patientInfo: {
          status: 'AVAILABLE',
          birthDate: '05-MAR-1980',
          sex: 'FEMALE',
          patientContact: {
            firstName: 'Ann',
            lastName: 'Lee',
            email: 'ann@example.org',
            cellPhone: '555-201-3344',
            homePhone: '555-201-3345',
            workPhone: '555-201-3346',
            postalCode: '33432',
          },
          patientReferralSource: { patientReferralSourceCategoryKey: 5, patientReferralSourceKey: 32836 },
        },
        studies: [{ studyId: '1541', subjectStatus: 'INTERESTED', recruitmentStatus: 'PROSPECT' }],
      }));

    it('leaves out absent values and empty objects', () =>
      expect(recruitPayload({ siteId: '1', firstName: 'Ann', lastName: 'Lee', subjectStatus: 'INTERESTED' }).payload).toEqual({
        siteId: '1',
        patientInfo: { status: 'AVAILABLE', patientContact: { firstName: 'Ann', lastName: 'Lee' } },
      }));

    it.each([
      ['Male', 'MALE'],
      ['f', 'FEMALE'],
      ['M', 'MALE'],
      ['Intersex', 'INTERSEX'],
    ])('writes the sex %s as %s', (sex, expected) =>
      expect(recruitPayload({ sex }).payload).toMatchObject({ patientInfo: { sex: expected } }),
    );

    it('says where each value came from', () =>
      expect(recruitPayload({ siteId: '1', dob: '1980-03-05', studyId: '2' }).origins).toEqual({
        siteId: 'caller',
        'patientInfo.status': 'rule',
        'patientInfo.birthDate': 'caller',
        studies: 'caller',
      }));
  });

  describe('an answer of the recruitment system', () => {
    const answer = { siteId: '1263', revision: 1, patientInfo: { patientId: '128654' } };
    it('is accepted with a patient id, as text or number', () => {
      expect(recruit.read(answer)).toEqual({ accepted: { response: answer, patientId: '128654' } });
      expect(recruit.read({ patientInfo: { patientId: 7 } })).toMatchObject({ accepted: { patientId: '7' } });
    });
    it.each([
      { ...answer, errors: [{ field: 'siteId' }] },
      { ...answer, success: false },
      { errors: { a: 1 } },
      { ...answer, error: 'no' },
    ])('is a refusal: %j', (body) => expect(recruit.read(body)).toEqual({ refused: true }));
    it.each([{}, [], 'ok', null, 1, { patientInfo: null }, { patientInfo: { patientId: '' } }])('is unreadable: %j', (body) =>
      expect(recruit.read(body)).toEqual({ unclear: expect.any(String) }),
    );
    it('is accepted with empty errors', () => expect(recruit.read({ ...answer, errors: [], error: {} })).toHaveProperty('accepted'));
  });
});

describe('screening platform', () => {
  const noMaps = { race: {}, recruitment_status: {} };
  const payloadOf = (body: Record<string, unknown>, maps = noMaps) => screeningPayload({ body, maps }).payload;

  describe('race', () => {
    it.each([
      ['Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
      ['Native Hawaiian', 'Native Hawaiian or Other Pacific Islander'],
      ['Asian/Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
      ['American Indian', 'American Indian or Alaska Native'],
      ['ALASKA native', 'American Indian or Alaska Native'],
      ['native american', 'American Indian or Alaska Native'],
      ['White', 'White'],
      ['Caucasian', 'White'],
      ['Black', 'Black or African American'],
      ['African American', 'Black or African American'],
      ['Asian', 'Asian'],
      ['South asian', 'Asian'],
      ['Native Hawaiian or Other Pacific Islander', 'Native Hawaiian or Other Pacific Islander'],
      ['American Indian or Alaska Native', 'American Indian or Alaska Native'],
      ['Black or African American', 'Black or African American'],
      ['Not Reported', 'Not Reported'],
      ['Prefer not to say', 'Not Reported'],
      ['constructor', 'Not Reported'],
      ['__proto__', 'Not Reported'],
    ])('%s is sent as %s', (race, expected) => expect(payloadOf({ race }).race).toBe(expected));
    it('is left out if it is absent', () => expect(payloadOf({})).not.toHaveProperty('race'));
  });

  describe('recruitment status', () => {
    it.each([
      ['DNQ', 'Not eligible'],
      ['Not Qualified', 'Not eligible'],
      ['not eligible', 'Not eligible'],
      ['Ineligible', 'Not eligible'],
      ['Disqualified', 'Not eligible'],
      ['disqualification', 'Not eligible'],
      ['Screen Failed', 'Not eligible'],
      ['Does not qualify', 'Not eligible'],
      ['Qualified', 'Referral'],
      ['Referral', 'Referral'],
      ['anything', 'Referral'],
    ])('%s is sent as %s', (recruitment_status, expected) => expect(payloadOf({ recruitment_status }).recruitment_status).toBe(expected));
    it('is left out if it is absent', () => expect(payloadOf({})).not.toHaveProperty('recruitment_status'));
  });

  describe('the screening payload', () => {
    it('prefers an operator’s own words, in any case', () =>
      expect(
        payloadOf(
          { race: 'Caucasian', recruitment_status: 'ON HOLD' },
          { race: { caucasian: 'W' }, recruitment_status: { 'on hold': 'Not eligible' } },
        ),
      ).toMatchObject({
        race: 'W',
        recruitment_status: 'Not eligible',
      }));

    it('always has units, and its gender from gender, else from sex', () => {
      expect(payloadOf({ sex: 'Male' })).toEqual({ gender: 'Male', height_unit: 'in', weight_unit: 'lb' });
      expect(payloadOf({ gender: 'X', sex: 'Male', height_unit: 'cm' })).toMatchObject({ gender: 'X', height_unit: 'cm' });
    });

    it('says where each value came from', () =>
      expect(screeningPayload({ body: { study_id: 1, race: 'White', weight_unit: 'kg' }, maps: noMaps }).origins).toEqual({
        study_id: 'caller',
        race: 'rule',
        height_unit: 'default',
        weight_unit: 'caller',
      }));

    it('has no key, and a question for each numbered pair', () =>
      expect(payloadOf({ key: 'k', apiKey: 'k', 'x-api-key': 'k', question_1: 'a', unknown: 1 })).toEqual({
        height_unit: 'in',
        weight_unit: 'lb',
        questions: [{ question: 'a' }],
      }));

    it.each(['1980-03-05', '03/05/1980'])('writes the date %s as YYYY-MM-DD', (date_of_birth) =>
      expect(payloadOf({ date_of_birth }).date_of_birth).toBe('1980-03-05'),
    );
  });

  describe('questions', () => {
    it('are in the order of their numbers', () =>
      expect(questionsOf({ question_10: 'j', answer_10: 'J', answer_2: 'B', question_2: 'b', question_1: ' a ', answer_1: 1 })).toEqual([
        { question: 'a', answer: '1' },
        { question: 'b', answer: 'B' },
        { question: 'j', answer: 'J' },
      ]));
    it('of a list take precedence over numbered ones, unless the list is empty', () => {
      expect(questionsOf({ questions: [{ question: 'a', answer: 'A', more: 1 }], question_1: 'x' })).toEqual([
        { question: 'a', answer: 'A' },
      ]);
      expect(questionsOf({ questions: [], question_1: 'x' })).toEqual([{ question: 'x' }]);
    });
    it('are left out if they are empty', () => expect(questionsOf({ question_1: '', answer_1: null })).toBeUndefined());
    it('are read only from names of that form', () =>
      fc.assert(
        fc.property(
          fc.dictionary(
            fc.oneof(fc.string(), fc.constantFrom('__proto__', 'question_', 'question_x', 'answer_1a', 'Question_1', 'questions_1')),
            fc.string(),
          ),
          (body) => {
            const isPart = (name: string) => /^(question|answer)_\d{1,9}$/.test(name) || name === 'questions';
            fc.pre(!Object.keys(body).some(isPart));
            expect(questionsOf(body)).toBeUndefined();
          },
        ),
      ));
  });

  describe('an answer of the screening platform', () => {
    it.each([{ success: true, id: 50123 }, { id: 50123 }, { success: true, id: 50123, errors: { race: ['unknown'] } }])(
      'is accepted with an id: %j',
      (body) => expect(screening.read(body)).toMatchObject({ accepted: { patientId: '50123' } }),
    );
    it('is a refusal if success is false', () => expect(screening.read({ success: false, id: 1 })).toEqual({ refused: true }));
    it.each([
      {},
      { success: true },
      { id: 1, errors: { study_id: ['…'] } },
      { success: 'false', id: 1 },
      { success: 0, id: 1 },
      [],
      'ok',
      null,
    ])('is unreadable: %j', (body) => expect(screening.read(body)).toEqual({ unclear: expect.any(String) }));
  });
});
