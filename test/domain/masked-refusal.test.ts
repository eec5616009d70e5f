/** An operator reads why an upstream refused a lead, and nothing of the person, without asking for the lead in clear. */
import { hidden } from '../../src/domain/mask';
import { maskedRefusal } from '../../src/domain/masked-refusal';

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
])('shows a sentence that holds nothing of the lead: %s', (words) => expect(messageOf(words)).toBe(words));

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
])('masks one that may: %s', (words) => expect(messageOf(words)).toBe(hidden));

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

it('masks a field whose name is data, with all that it holds', () =>
  expect(maskedRefusal({ errors: { 'Bo Lee': 'is not a name', 'a@b.c': 'is taken already' } }, lead)).toEqual({
    errors: { [hidden]: hidden },
  }));
