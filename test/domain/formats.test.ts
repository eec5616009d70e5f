import { answer, date, integer, isoDate, phone, sex, text, Wrong } from '../../src/domain/formats';

const today = '2026-11-21';
const iso = (value: string) => {
  const read = date(value, today);
  return read instanceof Wrong ? 'wrong' : isoDate(read);
};

describe('phone', () => {
  it.each([
    ['5552013344', '555-201-3344'],
    ['(555) 201-3344', '555-201-3344'],
    ['+1 555.201.3344', '555-201-3344'],
    ['1-555-201-3344', '555-201-3344'],
    ['555-201-3344', '555-201-3344'],
    [' +44 20 7946 0958 ', '+44 20 7946 0958'],
    ['201-3344', '201-3344'],
    ['25552013344', '25552013344'],
  ])('writes %s as %s', (given, expected) => expect(phone(given)).toBe(expected));

  it.each(['call me', '5.5520134E+09', ' 5,55201e+9 ', '5552013344.0', '5552013344,50', '55.5E8', '+5.55E+09'])(
    'refuses %p, which is none or was made a number',
    (given) => expect(phone(given)).toBeInstanceOf(Wrong),
  );
});

describe('date', () => {
  it.each([
    ['1980-03-05', '1980-03-05'],
    ['03/05/1980', '1980-03-05'],
    ['02/29/2024', '2024-02-29'],
    [today, today],
  ])('reads %s as %s', (given, expected) => expect(iso(given)).toBe(expected));

  it.each([
    '02/29/2023',
    '13/01/1980',
    '1980-02-30',
    '03/05/80',
    '3/5/1980',
    '1980/03/05',
    '2026-11-22',
    '1980-03-05T00:00:00Z',
    'yesterday',
    '0080-01-01',
  ])('refuses %s', (given) => expect(iso(given)).toBe('wrong'));
});

describe('sex', () => {
  it.each([
    ['M', 'M'],
    ['f', 'F'],
    ['Male', 'M'],
    ['FEMALE', 'F'],
  ])('writes %s as %s', (given, expected) => expect(sex(given)).toBe(expected));
  it('knows no other word', () => expect(sex('constructor')).toBeUndefined());
});

describe('answer', () => {
  it.each([
    ['Yes', 1],
    ['yes ', 1],
    [true, 1],
    ['No', 0],
    [false, 0],
    [null, 2],
    ['', 2],
    [0, 0],
    [1, 1],
    [2, 2],
  ])('writes %p as %p', (given, expected) => expect(answer(given)).toBe(expected));
  it.each(['Maybe', 3, 'toString', {}, []])('refuses %p', (given) => expect(answer(given)).toBeInstanceOf(Wrong));
});

describe('text and integer', () => {
  it('trims, and takes blank text for absent', () =>
    expect([text(' a '), text('  '), text(null), text(12)]).toEqual(['a', undefined, undefined, '12']));
  it('reads whole numbers also from text', () =>
    expect([integer('12'), integer(12), integer('1.5'), integer('x'), integer(true)]).toEqual([12, 12, undefined, undefined, undefined]));
});
