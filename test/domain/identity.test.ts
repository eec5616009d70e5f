/** By what a lead, a run and a person are known. */
import * as fc from 'fast-check';
import { emailOf, isPersonal, phonesOf, sameEmail, samePhone } from '../../src/domain/found-by';
import { addressOf, attemptIdOf, attemptIn, leadIdForm, leadIdOf, nonceIn, unconfirmedIdOf } from '../../src/domain/ids';

describe('ids', () => {
  const hash = fc.tuple(fc.constantFrom('k', 'b'), fc.stringMatching(/^[0-9a-z]{20}$/)).map((parts) => parts.join(''));
  const run = fc.record({ workflowId: hash.map((id) => `lead-${id}`), runId: fc.uuid() });

  it('a lead id contains the address of its first run', () => {
    fc.assert(
      fc.property(run, (first) => {
        const leadId = leadIdOf(first);
        expect(leadId).toMatch(leadIdForm);
        expect(addressOf(leadId)).toEqual(first);
      }),
    );
  });

  it('every attempt has the same lead id and its own number', () => {
    fc.assert(
      fc.property(run, fc.integer({ min: 2, max: 999 }), fc.uuid(), (first, attempt, runId) => {
        const leadId = leadIdOf(first);
        const workflowId = attemptIdOf(leadId, attempt);
        expect(leadIdOf({ workflowId, runId })).toBe(leadId);
        expect([attemptIn(first.workflowId), attemptIn(workflowId)]).toEqual([1, attempt]);
      }),
    );
  });

  it('the id of an unconfirmed start is a valid lead id without an address', () => {
    fc.assert(
      fc.property(hash, fc.stringMatching(/^[0-9a-z]{10}$/), (id, nonce) => {
        const leadId = unconfirmedIdOf(`lead-${id}`, nonce);
        expect(leadId).toMatch(leadIdForm);
        expect([addressOf(leadId), nonceIn(leadId)]).toEqual([undefined, nonce]);
      }),
    );
  });

  it.each(['call-kx', 'board-copy-x', 'hold:leadgate:V1:', `lead-b${'0'.repeat(20)}.2`, 'erase-x'])(
    '%s is the run of no lead',
    (workflowId) => expect(leadIdOf({ workflowId, runId: '01a20619-61dc-7339-9936-5248f5c11709' })).toBe(''),
  );
});

describe('the person of a lead', () => {
  const punctuation = fc.constantFrom('', ' ', '-', '.', '(', ')', '/');
  const written = (digits: string) =>
    fc
      .array(punctuation, { minLength: digits.length, maxLength: digits.length })
      .map((marks) => marks.map((mark, at) => mark + digits[at]).join(''));
  const tenDigits = fc.stringMatching(/^[2-9]\d{9}$/);

  it('an e-mail is the same in any case, Unicode form and surrounding white space, and is never cut', () => {
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

  it('a phone is the same with any separators, with and without its country', () => {
    fc.assert(
      fc.property(
        tenDigits.chain((digits) => fc.record({ digits: fc.constant(digits), given: written(digits), long: written(`1${digits}`) })),
        ({ digits, given, long }) =>
          expect([samePhone(given), samePhone(long), samePhone(samePhone(given))]).toEqual([digits, digits, digits]),
      ),
    );
    expect(samePhone('+44 20 7946 0958')).toBe('442079460958');
  });

  it.each([
    ...['555-201-3344 x12', '(555) 201-3344x12', '555-201-3344 ext. 12', '555-201-3344, Ext 12', '555 201 3344 extension 12'],
    ...['555-201-3344 #12', '+1-555-201-3344;ext=12', 'tel:+15552013344;ext=12', '1 555 201 3344 (ext. 12)', '５５５-２０１-３３４４ ｘ12'],
    ...['5552013344extn12', '555-201-3344 EXT:12', '555\u200b201\u00ad3344'],
  ])('a phone is the same without its extension: %j', (given) => expect(samePhone(given)).toBe('5552013344'));

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
const annLee = { firstName: 'Ann', lastName: 'Lee', email: 'annie.l80@example.org', phone: '+1 555 201-3344 ext. 12' };
const called = (firstName: string, lastName: string, email?: string) => ({ firstName, lastName, email });

describe('a term with personal data is recognised', () => {
  it.each([
    ...['Zoë', 'FEATHERSTONE', 'zoë-featherstone', 'FeatherstoneZoë', 'Featherstone, Zoë (new)', 'Featherstone Clinic', 'ZOE'],
    ...['z.feather', 'Z-Feather', 'z.feather@example.org', 'z.feather%40example.org', 'z.feather＠example.org', 'feather'],
    ...['5552013344', 'call +1 555 201 3344', '03/05/1980', '1980-03-05', '19800305'],
  ])('%s', (term) => expect(isPersonal(term, person)).toBe(true));

  it.each([
    ...[
      'Ann',
      'lee',
      'ANN-LEE',
      'Lee Ann',
      'Lee, Ann',
      'annlee',
      'leeann',
      'lee.ann',
      'AnnLee',
      'a-n-n l e e',
      'AD-301 Ann',
      'trial_lee_2',
    ],
    ...[
      'Ánn',
      'Lée',
      'A\u0301nn',
      'Ａｎｎ Ｌｅｅ',
      'ａｎｎｌｅｅ',
      'Ann\u200bLee',
      'A\u00adnn',
      'A\u2060n\u200dn',
      'Ann%20Lee',
      'alee',
      'AnnStudy',
      'ann2',
    ],
    ...['annie', 'Annie L80', 'ANNIE.L80', 'annie_l80'],
    ...['555-201-3344', '555.201.3344', '5 5 5 2 0 1 3 3 4 4', '201-3344', '2013344', '15552013344', '２０１３３４４'],
  ])('of Ann Lee: %j', (term) => expect(isPersonal(term, annLee)).toBe(true));

  it.each([
    ['Muller', called('Jörg', 'Müller')],
    ['joerg', called('Jörg', 'Müller')],
    ['Jörg', called('Joerg', 'Mueller')],
    ['Soren', called('Søren', 'Strauß')],
    ['STRAUSS', called('Søren', 'Strauß')],
    ['Mary', called('Mary Ann', 'Lee')],
    ['maryannlee', called('Mary Ann', 'Lee')],
    ['Cruz', called('Ana', 'de la Cruz')],
    ['DELACRUZ', called('Ana', 'de la Cruz')],
    ['AL 301', called('Al', 'Fox')],
    ['J', called('J', 'Fox')],
    ['study 李', called('李', '小龙')],
    ['李小龙', called('小龙', '李')],
  ])('%s of %j', (term, body) => expect(isPersonal(term, body)).toBe(true));

  it('with the field names of groups C and D, too', () =>
    expect(isPersonal('LEE trial', { first_name: 'Ann', last_name: 'Lee' })).toBe(true));
});

describe('a business term is not personal', () => {
  it.each(['erg-oct', 'AD-301', '12', '2026-11', '100% skin', 'feathers', 'Zoetis'])('%s', (term) =>
    expect(isPersonal(term, person)).toBe(false),
  );

  it.each([
    ['Alopecia 301', called('Al', 'Fox')],
    ['Annex Leeds', called('Ann', 'Lee')],
    ['Joanne', called('Ann', 'Lee')],
    ['J-301', called('J', 'Fox', 'j@example.org')],
    ['AD-301', called('A', 'D', 'ad@example.org')],
    ['erg-oct 301 12', called('Ann', 'Lee', 'ann-301-12@example.org')],
    ['La Jolla, Van Nuys', called('Ana', 'de la van Berg')],
    ['3344', annLee],
  ])('%s of %j', (term, body) => expect(isPersonal(term, body)).toBe(false));

  it('even if the lead names nobody', () => expect(isPersonal('', {})).toBe(false));
});
