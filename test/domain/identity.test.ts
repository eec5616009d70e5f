/** By what a lead, a run and a person are known. */
import * as fc from 'fast-check';
import { emailOf, isPersonal, phonesOf, sameEmail, samePhone } from '../../src/domain/found-by';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, unconfirmedIdOf } from '../../src/domain/ids';

describe('ids', () => {
  const hash = fc.tuple(fc.constantFrom('k', 'b'), fc.stringMatching(/^[0-9a-z]{20}$/)).map((parts) => parts.join(''));
  const run = fc.record({ workflowId: hash.map((id) => `lead-${id}`), runId: fc.uuid() });

  it('a lead id leads back to its first run', () => {
    fc.assert(
      fc.property(run, (first) => {
        const leadId = leadIdOf(first);
        expect(leadId).toMatch(leadIdForm);
        expect(addressOf(leadId)).toEqual(first);
      }),
    );
  });

  it('every attempt carries the same lead, under a number of its own', () => {
    fc.assert(
      fc.property(run, fc.integer({ min: 2, max: 999 }), fc.uuid(), (first, attempt, runId) => {
        const leadId = leadIdOf(first);
        const workflowId = attemptIdOf(leadId, attempt);
        expect(leadIdOf({ workflowId, runId })).toBe(leadId);
        expect([attemptIn(first.workflowId), attemptIn(workflowId)]).toEqual([1, attempt]);
      }),
    );
  });

  it('the id of an unconfirmed start has the form of a lead id, and no address', () => {
    fc.assert(
      fc.property(hash, fc.stringMatching(/^[0-9a-z]{10}$/), (id, nonce) => {
        const leadId = unconfirmedIdOf(`lead-${id}`, nonce);
        expect(leadId).toMatch(leadIdForm);
        expect([addressOf(leadId), nonceIn(leadId)]).toEqual([undefined, nonce]);
      }),
    );
  });

  it.each(['call-kx', 'board-copy-x', 'hold:leadgate:V1:', `lead-b${'0'.repeat(20)}.2`, 'erase-x'])('%s carries no lead', (workflowId) =>
    expect(leadIdOf({ workflowId, runId: '01a20619-61dc-7339-9936-5248f5c11709' })).toBe(''),
  );
});

describe('the person of a lead', () => {
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
});

const person = { firstName: 'Zoë', lastName: 'Featherstone', email: 'z.feather@example.org', phone: '(555) 201-3344', dob: '03/05/1980' };

describe('a term that holds the person is known as such', () => {
  it.each([
    ...['Zoë', 'FEATHERSTONE', 'zoë-featherstone', 'FeatherstoneZoë', 'Featherstone, Zoë (new)'],
    ...['z.feather', 'Z-Feather', 'z.feather@example.org', 'z.feather%40example.org', 'z.feather＠example.org'],
    ...['5552013344', 'call +1 555 201 3344', '03/05/1980', '1980-03-05', '19800305'],
  ])('%s', (term) => expect(isPersonal(term, person)).toBe(true));
});

describe('a term of the business is none', () => {
  it.each(['erg-oct', 'AD-301', '12', '2026-11', '100% skin', 'feather', 'Featherstone Clinic'])('%s', (term) =>
    expect(isPersonal(term, person)).toBe(false),
  );

  it('also if the lead names nobody', () => expect(isPersonal('', {})).toBe(false));
});
