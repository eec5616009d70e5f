/** Replaces a person by an invented one, in the same form and everywhere the same. */
import { createFake } from '../../tools/replay/fake';

const salt = Buffer.alloc(16, 1);
const made = () => createFake({ salt, keptDates: ['2026-11-21'] });

it.each([
  ['Ann', /^[A-Z][a-z]{2}$/],
  ['ann.lee+1@example.org', /^[a-z]{3}\.[a-z]{3}\+1@[a-z]{7}\.[a-z]{3}$/],
  ['33432', /^[1-9]\d{4}$/],
  ['03342', /^0\d{4}$/],
  ['1980-03-05', /^19\d\d-[01]\d-[0-2]\d$/],
  ['03/05/1980', /^[01]\d\/[0-2]\d\/19\d\d$/],
  ['05-MAR-1980', /^[0-2]\d-[A-Z]{3}-19\d\d$/],
  ['sandbox-key-7f3a', /^[a-z]{7}-[a-z]{3}-\d[a-z]\d[a-z]$/],
])('%s keeps its form', (value, form) => {
  const fake = made().text(value);
  expect(fake).toMatch(form);
  expect(fake).not.toBe(value);
});

it('is the same for the same value in every spelling', () => {
  const fake = made();
  fake.addPhone('(555) 201-3344');
  const name = fake.text('Lee');
  expect(fake.text('(call LEE about "lee")')).toContain(`${name.toUpperCase()} `);
  expect(fake.text('"lee"')).toBe(`"${name.toLowerCase()}"`);
  const digits = (text: string) => text.replace(/\D/g, '');
  expect(digits(fake.text('555-201-3344'))).toBe(digits(fake.text('(555) 201-3344')));
  expect(fake.text('+1 555.201.3344')).toMatch(/^\+1 \d{3}\.\d{3}\.\d{4}$/);
  expect(fake.text('5552013344')).toBe(digits(fake.text('555-201-3344')));
  const [year, month, day] = fake.text('1980-03-05').split('-');
  expect(fake.text('03/05/1980')).toBe(`${month}/${day}/${year}`);
  expect(fake.text('300001')).toBe(String(fake.number(300_001)));
});

it('never maps two values to one', () => {
  const fake = made();
  const ids = Array.from({ length: 500 }, (_, at) => fake.number(300_000 + at));
  expect(new Set(ids).size).toBe(500);
});

it('never turns another word into a word of the person', () => {
  const fake = made();
  fake.replaceWords('Y');
  expect(fake.text('a b c d e f g h i j k l m n o p')).not.toContain('y');
});

it('keeps the given words, unless they are a person’s', () => {
  const fake = made();
  fake.keepWords('AD-301 Weight White');
  fake.replaceWords('White');
  expect(fake.text('(11/21/2026 - AD-301) Weight: 5')).toBe('(11/21/2026 - AD-301) Weight: 5');
  expect(fake.text('White')).not.toBe('White');
});

it('differs in each fixture', () => expect(createFake().text('Bartholomew')).not.toBe(createFake().text('Bartholomew')));
