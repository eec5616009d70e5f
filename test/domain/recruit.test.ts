import { recruit, recruitPayload } from '../../src/domain/recruit';

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
  it('holds every field at its place, and no credential', () =>
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

  it('leaves out what is absent, with the objects around it', () =>
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
  it.each([{ ...answer, errors: [{ field: 'siteId' }] }, { ...answer, success: false }, { errors: { a: 1 } }, { ...answer, error: 'no' }])(
    'is a refusal: %j',
    (body) => expect(recruit.read(body)).toEqual({ refused: true }),
  );
  it.each([{}, [], 'ok', null, 1, { patientInfo: null }, { patientInfo: { patientId: '' } }])('is nothing that we know: %j', (body) =>
    expect(recruit.read(body)).toBeUndefined(),
  );
  it('is accepted with empty errors', () => expect(recruit.read({ ...answer, errors: [], error: {} })).toHaveProperty('accepted'));
});
