import { createSentinels, parseSentinel } from '../../src/sandbox/sentinels';

const duringFive = (call: string, text: string) => {
  const sentinels = createSentinels();
  return [1, 2, 3, 4, 5].map(() => sentinels.take(call, [text])?.effect.name ?? '-');
};

describe('a sentinel', () => {
  it('stands for its own call alone', () => {
    expect(parseSentinel('v1-500', 'v1')?.effect.name).toBe('500');
    expect(parseSentinel('v1-500', 'comment')).toBeUndefined();
  });

  it.each(['v1', 'v1-', 'v1-501', 'v1-500-', 'v1-500-often', 'v1-slow', 'v1-slow-', 'v1-slow-ten', 'xv1-500'])('is not %s', (word) => {
    expect(parseSentinel(word, 'v1')).toBeUndefined();
  });

  it('carries its milliseconds', () => {
    expect(parseSentinel('v1-slow-1500-once', 'v1')?.ms).toBe(1500);
  });

  it.each([
    'ann+v1-500@example.org',
    'ANN+V1-500@EXAMPLE.ORG',
    'erg-oct.v1-500',
    'a comment with v1-500, among others',
    'a+b+v1-500@example.org',
  ])('is found in %s', (text) => {
    expect(createSentinels().take('v1', [text])?.effect.name).toBe('500');
  });

  it.each(['ann-v1-500@example.org', 'ann@example.org', '', 'v1 500'])('is not found in "%s"', (text) => {
    expect(createSentinels().take('v1', [text])).toBeUndefined();
  });
});

describe('how often', () => {
  it('every time, when nothing is said', () => {
    expect(duringFive('v1', 'v1-500')).toEqual(['500', '500', '500', '500', '500']);
  });
  it('-once is the first time', () => {
    expect(duringFive('v1', 'v1-500-once')).toEqual(['500', '-', '-', '-', '-']);
  });
  it('-x3 is the first three times', () => {
    expect(duringFive('v1', 'v1-500-x3')).toEqual(['500', '500', '500', '-', '-']);
  });
  it('-from4 is from the fourth time on', () => {
    expect(duringFive('v1', 'v1-500-from4')).toEqual(['-', '-', '-', '500', '500']);
  });
  it('revoked is the first time, when nothing is said', () => {
    expect(duringFive('v1', 'v1-revoked')).toEqual(['revoked', '-', '-', '-', '-']);
  });
  it('several follow each other', () => {
    expect(duringFive('v1', 'ann+v1-429-x2+v1-reset-after-from4')).toEqual(['429', '429', '-', 'reset-after', 'reset-after']);
  });
  it('is counted for each text by itself, and anew after a reset', () => {
    const sentinels = createSentinels();
    const take = (text: string) => sentinels.take('v1', [text]) !== undefined;
    expect([take('a+v1-500-once'), take('b+v1-500-once'), take('a+v1-500-once')]).toEqual([true, true, false]);
    sentinels.reset();
    expect(take('a+v1-500-once')).toBe(true);
  });
});
