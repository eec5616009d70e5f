import * as fc from 'fast-check';
import { emailOf, phonesOf, sameEmail, samePhone } from '../../src/domain/found-by';

const punctuation = fc.constantFrom('', ' ', '-', '.', '(', ')', '/');
const written = (digits: string) =>
  fc
    .array(punctuation, { minLength: digits.length, maxLength: digits.length })
    .map((marks) => marks.map((mark, at) => mark + digits[at]).join(''));
const tenDigits = fc.stringMatching(/^[2-9]\d{9}$/);

it('an e-mail is the same in any case, form of its letters and white space around it, and is never cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 240 }), (name) => {
      const email = `${name.trim()}@example.org`;
      const read = sameEmail(email);
      for (const other of [email.normalize('NFC'), email.normalize('NFD'), `  ${email}\t`, read]) expect(sameEmail(other)).toBe(read);
      expect(read.length).toBeGreaterThanOrEqual('@example.org'.length);
    }),
  );
  expect(sameEmail('JOSE\u0301@Example.org')).toBe('jos\u00e9@example.org');
  expect(sameEmail(`${'a'.repeat(242)}@example.org`)).toHaveLength(254);
});

it('a phone is its digits, whatever stands between them and whether its country is said', () => {
  fc.assert(
    fc.property(
      tenDigits.chain((digits) => fc.record({ digits: fc.constant(digits), given: written(digits), long: written(`1${digits}`) })),
      ({ digits, given, long }) =>
        expect([samePhone(given), samePhone(long), samePhone(samePhone(given))]).toEqual([digits, digits, digits]),
    ),
  );
  expect(samePhone('+44 20 7946 0958')).toBe('442079460958');
});

it('every phone field counts, each number once', () => {
  const body = {
    phone: '555-201-3344',
    homePhone: '(555) 201 3344',
    workPhone: '1 555 201 3345',
    cellPhone: 5552013346,
    phone_number: 'none',
  };
  expect(phonesOf(body)).toEqual(['5552013344', '5552013346', '5552013345']);
  expect([emailOf({}), phonesOf({})]).toEqual([undefined, []]);
});
