import * as fc from 'fast-check';
import { answer, date, digitsOf, integer, isoDate, monthDate, phone, sex, text, InvalidValue } from '../../src/domain/formats';

const today = '2026-11-21';
const iso = (value: string) => {
  const read = date(value, today);
  return read instanceof InvalidValue ? 'wrong' : isoDate(read);
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
    (given) => expect(phone(given)).toBeInstanceOf(InvalidValue),
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
  it('reads no other word', () => expect(sex('constructor')).toBeUndefined());
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
  it.each(['Maybe', 3, 'toString', {}, []])('refuses %p', (given) => expect(answer(given)).toBeInstanceOf(InvalidValue));
});

describe('text and integer', () => {
  it('trims text, and reads blank text as absent', () =>
    expect([text(' a '), text('  '), text(null), text(12)]).toEqual(['a', undefined, undefined, '12']));
  it('reads whole numbers from text, too', () =>
    expect([integer('12'), integer(12), integer('1.5'), integer('x'), integer(true)]).toEqual([12, 12, undefined, undefined, undefined]));
});

describe('for all values', () => {
  const dayMs = 86_400_000;
  const today = new Date().toISOString().slice(0, 10);
  const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const givenZone = process.env.TZ;
  afterAll(() => {
    if (givenZone === undefined) delete process.env.TZ;
    else process.env.TZ = givenZone;
  });

  const read = (value: string) => {
    const found = date(value, today);
    if (found instanceof InvalidValue) throw new Error(`${value} was refused`);
    return found;
  };

  describe('dates', () => {
    it.each(['UTC', 'Pacific/Kiritimati', 'America/New_York'])('from 1900 to today are unchanged, in %s', (zone) => {
      process.env.TZ = zone;
      let days = 0;
      for (let at = Date.UTC(1900, 0, 1); at <= Date.parse(today); at += dayMs) {
        const iso = new Date(at).toISOString().slice(0, 10);
        const [year, month, day] = iso.split('-');
        const us = `${month}/${day}/${year}`;
        const upper = `${day}-${months[Number(month) - 1]}-${year}`;
        if (isoDate(read(us)) !== iso || isoDate(read(iso)) !== iso || monthDate(read(us)) !== upper) throw new Error(`${iso} in ${zone}`);
        days++;
      }
      expect(days).toBeGreaterThan(46_000);
    });

    it('that do not exist are refused, the 29th of February except in leap years', () =>
      fc.assert(
        fc.property(
          fc.integer({ min: 1900, max: 2020 }),
          fc.integer({ min: 0, max: 99 }),
          fc.integer({ min: 0, max: 99 }),
          (year, month, day) => {
            const pad = (number: number) => String(number).padStart(2, '0');
            const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
            const last = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
            const exists = day >= 1 && day <= last;
            expect(date(`${pad(month)}/${pad(day)}/${year}`, today) instanceof InvalidValue).toBe(!exists);
            expect(date(`${year}-${pad(month)}-${pad(day)}`, today) instanceof InvalidValue).toBe(!exists);
          },
        ),
        { numRuns: 2000 },
      ));

    it('in the future, and values that are no date, are refused without repeating the value', () => {
      const tomorrow = new Date(Date.now() + dayMs).toISOString().slice(0, 10);
      expect(date(tomorrow, today)).toBeInstanceOf(InvalidValue);
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 3 }), (value) => {
          const found = date(value, today);
          if (found instanceof InvalidValue) expect(found.message).toMatch(/^must be a real date/);
        }),
      );
    });
  });

  describe('phones', () => {
    const punctuation = fc.constantFrom('', ' ', '-', '.', ' (', ') ', '/', '\u00a0');
    it('of ten digits become XXX-XXX-XXXX with any separators, and stay so', () =>
      fc.assert(
        fc.property(
          fc.array(fc.tuple(punctuation, fc.integer({ min: 0, max: 9 })), { minLength: 10, maxLength: 10 }),
          fc.constantFrom('', '+1 ', '1-'),
          (parts, prefix) => {
            const bare = parts.map(([, digit]) => digit).join('');
            const expected = `${bare.slice(0, 3)}-${bare.slice(3, 6)}-${bare.slice(6)}`;
            const given = prefix + parts.map(([before, digit]) => before + String(digit)).join('');
            expect(phone(given)).toBe(expected);
            expect(phone(expected)).toBe(expected);
          },
        ),
      ));

    it('are always text, are unchanged by a second formatting, and have only digits as digits', () =>
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (value) => {
          const once = phone(value);
          if (once instanceof InvalidValue) expect(/\d/.test(value)).toBe(false);
          else expect(phone(once)).toBe(once);
          const digits = digitsOf(value);
          if (!(digits instanceof InvalidValue)) expect(digits).toMatch(/^[0-9]+$/);
        }),
      ));
  });

  describe('text', () => {
    it('of any Unicode is unchanged, except for the white space around it', () =>
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), (value) => {
          expect(text(value)).toBe(value.trim() === '' ? undefined : value.trim());
        }),
      ));
  });
});
