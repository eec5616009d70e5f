import { integer } from '../../src/contract/fields';

it.each([
  ['999999999999999', 999_999_999_999_999, true],
  ['9007199254740991', 9_007_199_254_740_991, false],
  ['-9007199254740991', -9_007_199_254_740_991, false],
])('a whole number is taken or refused alike as text (%s) and as a number', (text, number, isTaken) => {
  expect([text, number].map((given) => integer().safeParse(given).success)).toEqual([isTaken, isTaken]);
});
