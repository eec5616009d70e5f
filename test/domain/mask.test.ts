/** What is printed and shown of a lead tells the business and not the person. */
import { masked, maskedAnswer, maskedDecision, maskedDryRun, maskedLead, maskedValue } from '../../src/domain/mask';

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

it('reaches into lists and objects, and masks names that are data', () =>
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

const said = { code: 'UPSTREAM_REJECTED', message: 'The site system refused the lead' };

it('of a lead shows what happened and masks what it became', () =>
  expect(
    maskedLead({
      leadId: 'p1',
      state: 'failed',
      steps: [{ name: 'send-to-rt', state: 'failed', attempts: 1, error: said }],
      result: { firstName: 'Ann', rtResponse: { status: 1, message: 'Ann Lee is not 18' } },
      more: 'Ann',
    }),
  ).toEqual({
    leadId: 'p1',
    state: 'failed',
    steps: [{ name: 'send-to-rt', state: 'failed', attempts: 1, error: said }],
    result: { firstName: 'A…', rtResponse: { status: 1, message: '•••' } },
    more: '•••',
  }));

it('of an answer shows the gateway’s own words, and a message only where it is one', () => {
  expect(maskedAnswer({ success: false, message: 'refused', error: { code: 'UPSTREAM_REJECTED' }, record: { lastName: 'Lee' } })).toEqual({
    success: false,
    message: 'refused',
    error: { code: 'UPSTREAM_REJECTED' },
    record: { lastName: 'L…' },
  });
  expect(maskedAnswer({ message: 'please call me', phone: '555-201-4567' })).toEqual({ message: '•••', phone: '…-…-4567' });
});

it('of an answer that is not the last shows all, for it is our own', () => {
  const pending = { success: false, pending: true, state: 'waiting', message: 'tried again', leadId: 'p1', statusUrl: '/api/leads/p1' };
  expect(maskedAnswer(pending)).toEqual(pending);
});

it('of a decision masks the id that the upstream gave the person', () =>
  expect(maskedDecision({ at: '2026', verb: 'confirm', reason: 'there', upstreamId: '139712' })).toEqual({
    at: '2026',
    verb: 'confirm',
    reason: 'there',
    upstreamId: '•••',
  }));

it('of a dry run shows our own words, and of the person no more than else', () =>
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
