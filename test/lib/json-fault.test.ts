import { array, assert, constantFrom, json, oneof, property, string } from 'fast-check';
import { jsonFault } from '../../src/lib/json-fault';

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the place where a text stops being JSON', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{"a": 1,}', 1, 9, 'a name in double quotes'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ["{'a': 1}", 1, 2, 'a name in double quotes or }'],
    ['{"a": 1 "b": 2}', 1, 9, 'a comma or }'],
    ['{"a": undefined}', 1, 7, 'a value'],
    ['{"a": [1, 2}', 1, 12, 'a comma or ]'],
    ['{"a": [,', 1, 8, 'a value or ]'],
    ['{\n  "a": "one\ntwo"\n}', 2, 8, 'a value'],
    ['{\r\n"a": 01}', 2, 6, 'a value'],
    ['{"a": 1', 1, 8, 'a comma or }'],
    ['{} {}', 1, 4, 'the end'],
  ])('of %j is line %d, column %d, where there should be %s', (text, line, column, expected) =>
    expect(jsonFault(text)).toEqual({ line, column, expected }),
  );

  it('is found in every text that JSON.parse refuses, and in no other', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"\\n"', '"\\x"', '1', '-0.5e3', '01', 'true', 'nul', ' ', '\n', '"'];
    const written = array(constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    assert(
      property(oneof(written, json(), string()), (text) => expect(jsonFault(text) === undefined).toBe(isJson(text))),
      { numRuns: 2_000 },
    );
  });
});
