import { isPersonal } from '../../src/domain/found-by';

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
