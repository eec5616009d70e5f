import { hidden, masked, maskedAnswer, maskedDecision, maskedDryRun, maskedValue } from '../../src/domain/mask';
import { maskedRefusal } from '../../src/domain/masked-refusal';

describe('a value is masked by the name of its field', () => {
  it.each([
    ['firstName', 'Ann', 'A…'],
    ['FirstName', 'Ángela María', 'Á…'],
    ['last_name', ' Lee ', 'L…'],
    ['email', 'ann.lee@example.org', 'a…@e….org'],
    ['Email', 'ann@mail.example.co.uk', 'a…@m….uk'],
    ['email', 'not an address', '•••'],
    ['phone', '(555) 201-4567', '…-…-4567'],
    ['phone_number', 5552014567, '…-…-4567'],
    ['cellPhone', '+49 30 1234567', '…-…-4567'],
    ['homePhone', '4567', '•••'],
    ['dob', '1980-03-05', '1980-…'],
    ['DOB', '03/05/1980', '1980-…'],
    ['birthDate', '05-MAR-1980', '1980-…'],
    ['date_of_birth', 'in spring', '•••'],
    // Business terms.
    ['StudyID', 12, 12],
    ['study_id', '12', '12'],
    ['instanceName', 'erg-oct', 'erg-oct'],
    ['protocol', 'AD-301', 'AD-301'],
    ['site', 'Boca Raton', 'Boca Raton'],
    ['recruitment_status', 'Qualified', 'Qualified'],
    ['emailExists', false, false],
    ['protocol', 'ann.lee@example.org', '•••'],
    // Everything else.
    ['PatientID', 300001, '•••'],
    ['subjectId', 300001, '•••'],
    ['key', 'sandbox-key-1', '•••'],
    ['bearerToken', 'token', '•••'],
    ['condition', 'Eczema', '•••'],
    ['sex', 'F', '•••'],
    ['comment', '(11/21/2026 - Eczema - AD-301)', '•••'],
    ['message', 'Ann Lee was added', '•••'],
    ['q101', 1, '•••'],
    ['questions[101]', 1, '•••'],
    ['zipCode', '33432', '•••'],
    ['somethingNew', true, '•••'],
    ['', 'a bare value', '•••'],
    ['constructor', 'x', '•••'],
    // Nothing there is nothing to hide.
    ['q103', null, null],
    ['phone', '', ''],
  ])('%s %j → %j', (name, value, expected) => expect(maskedValue(name, value)).toBe(expected));
});

it('masks lists and objects, and field names that may be data', () =>
  expect(
    masked({
      data: [{ subjectId: 7, firstName: 'Ann', studyId: 12 }],
      status: { email: 'ann@example.org' },
      email: ['ann@example.org'],
      site: ['Boca Raton'],
      'ann@example.org': 1,
    }),
  ).toEqual({
    data: [{ subjectId: '•••', firstName: 'A…', studyId: 12 }],
    status: { email: 'a…@e….org' },
    email: ['a…@e….org'],
    site: ['Boca Raton'],
    '•••': '•••',
  }));

it('shows the gateway’s own fields of an error answer, and masks other fields of these names', () => {
  expect(maskedAnswer({ success: false, message: 'refused', error: { code: 'UPSTREAM_REJECTED' }, record: { lastName: 'Lee' } })).toEqual({
    success: false,
    message: 'refused',
    error: { code: 'UPSTREAM_REJECTED' },
    record: { lastName: 'L…' },
  });
  expect(maskedAnswer({ message: 'please call me', phone: '555-201-4567' })).toEqual({ message: '•••', phone: '…-…-4567' });
});

it('shows all of a pending answer, which the gateway writes', () => {
  const pending = { success: false, pending: true, state: 'waiting', message: 'tried again', leadId: 'p1', statusUrl: '/api/leads/p1' };
  expect(maskedAnswer(pending)).toEqual(pending);
});

it('masks the upstream’s id of the person in a decision', () =>
  expect(maskedDecision({ at: '2026', verb: 'confirm', reason: 'there', upstreamId: '139712' })).toEqual({
    at: '2026',
    verb: 'confirm',
    reason: 'there',
    upstreamId: '•••',
  }));

it('shows the gateway’s words of a dry run, and masks the person as elsewhere', () =>
  expect(
    maskedDryRun({
      success: true,
      dryRun: true,
      message: 'This is what would be sent. Nothing was sent',
      payload: { FirstName: 'Ann', Phone: '555-201-4567', StudyID: 12, message: 'for Ann' },
      origins: { FirstName: 'caller', 'patientInfo.status': 'site configuration', 'of Ann': 'rule', email: 'ann@example.org' },
    }),
  ).toEqual({
    success: true,
    dryRun: true,
    message: 'This is what would be sent. Nothing was sent',
    payload: { FirstName: 'A…', Phone: '…-…-4567', StudyID: 12, message: '•••' },
    origins: { FirstName: 'caller', 'patientInfo.status': 'site configuration', '•••': 'rule', email: '•••' },
  }));

/** An operator reads why an upstream refused a lead, and nothing of the person, without asking for the lead in clear. */
describe('a refusal', () => {
  const lead = {
    firstName: 'Bo',
    lastName: 'Müller-Lee',
    email: 'bo.mueller+v1-refused@example.org',
    phone: '(555) 201-3344',
    dob: '03/05/1980',
    sex: 'F',
    condition: 'Eczema of the hand',
    siteId: 9999,
    request: { q101: 'Yes' },
  };
  const messageOf = (message: string) => (maskedRefusal({ message }, lead) as { message: string }).message;

  it.each([
    'The lead was refused',
    'The site 9999 is not known to the study',
    'The given data was invalid.',
    'Yes or no is expected as an answer to the last question',
    'A phone of 10 digits is required',
  ])('shows a sentence without data of the lead: %s', (words) => expect(messageOf(words)).toBe(words));

  it.each([
    'Bo is there already',
    'Nobody is called MULLER here',
    'Subject BoMüllerLee exists',
    'Write to somebody@example.net',
    'Call 5552013344',
    'The phone ends with 3344',
    'Born in 1980',
    'Born on 5.3.80',
    'Sex F is not eligible',
    'Eczema is excluded',
    'Known as 300001234',
    'Refused',
  ])('masks a sentence that may have some: %s', (words) => expect(messageOf(words)).toBe(hidden));

  it('shows the sentences of nested errors, and no other values', () =>
    expect(
      maskedRefusal(
        {
          code: 'INVALID',
          errors: [{ field: 'siteId', message: 'Site not found' }, { dob: ['is not a date', '1980'] }],
          input: 'The whole lead',
          patient: { firstName: 'Bo' },
        },
        lead,
      ),
    ).toEqual({
      code: 'INVALID',
      errors: [{ field: hidden, message: 'Site not found' }, { dob: ['is not a date', '1980-…'] }],
      input: hidden,
      patient: { firstName: 'B…' },
    }));

  it('masks a field whose name may be data, and its value', () =>
    expect(maskedRefusal({ errors: { 'Bo Lee': 'is not a name', 'a@b.c': 'is taken already' } }, lead)).toEqual({
      errors: { [hidden]: hidden },
    }));
});
