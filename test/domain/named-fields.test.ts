import { fieldsNamed, namesIn } from '../../src/domain/named-fields';

const names = ['siteId', 'email', 'dob', 'date_of_birth', 'firstName', 'id'];

describe('the fields that a refusal names', () => {
  it.each([
    ['as a value', { errors: [{ field: 'siteId', message: 'Site not found' }] }, ['siteId']],
    ['as a name', { errors: { email: ['is taken'] } }, ['email']],
    ['in a sentence', { message: 'The Site ID is unknown' }, ['siteId']],
    ['in another spelling', 'date-of-birth: wrong', ['date_of_birth']],
    ['as several words', 'Your date of birth, please', ['date_of_birth']],
    ['several of them', 'email and dob', ['email', 'dob']],
    ['as a path', { loc: ['patientInfo.firstName'] }, ['firstName']],
  ])('are found %s', (_how, words, found) => expect(fieldsNamed(words, names)).toEqual(found));

  it.each([['the e-mailer said no'], [{ id: 'x' }], [undefined], [null], [42]])('are none in %j', (words) =>
    expect(fieldsNamed(words, names)).toEqual([]),
  );

  it('are looked for by the last part of every path', () =>
    expect(namesIn({ siteId: 1, patientInfo: { sex: 'M', contact: { email: '' } }, studies: [{ studyId: 1 }] })).toEqual([
      'siteId',
      'sex',
      'email',
      'studyId',
    ]));
});
