import { instant, integer, personName, required } from '../../src/contract/fields';

it.each([
  ['999999999999999', 999_999_999_999_999, true],
  ['9007199254740991', 9_007_199_254_740_991, false],
  ['-9007199254740991', -9_007_199_254_740_991, false],
])('a whole number is taken or refused alike as text (%s) and as a number', (text, number, isTaken) => {
  expect([text, number].map((given) => integer().safeParse(given).success)).toEqual([isTaken, isTaken]);
});

it.each([[{ toString: true }], [{ valueOf: 1, toString: 'x' }], [[5]], [true]])(
  'what is no number is refused as a whole number: %j',
  (given) => expect(integer().safeParse(given).error?.issues[0]?.message).toBe('must be a whole number'),
);

it.each([
  ['2026-02-28', true],
  ['2028-02-29T23:59:59+14:00', true],
  ['2026-02-29', false],
  ['2026-02-31', false],
  ['2026-04-31T10:00Z', false],
  [' 2026-11-31 ', false],
])('a moment is of a day that there is: %s', (written, isTaken) => expect(instant().safeParse(written).success).toBe(isTaken));

it.each([
  ['Ann', true],
  ['Null', true],
  ['null', false],
  [' [object Object] ', false],
  ['  ', false],
  ['', false],
])('a required name that reads %j is taken or refused alike by the reference', (given, isTaken) => {
  const name = required(personName());
  const { pattern } = name.meta() as { readonly pattern: string };
  expect([name.safeParse(given).success, new RegExp(pattern, 'u').test(given)]).toEqual([isTaken, isTaken]);
});
