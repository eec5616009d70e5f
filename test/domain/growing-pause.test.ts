import { growingPause } from '../../src/domain/growing-pause';

const listed = [1_000, 5_000];
const dayMs = 86_400_000;

/** How many tries a wait takes. */
function triesIn(waitMs: number): number {
  let tries = 0;
  for (let waitedMs = 0; waitedMs < waitMs; tries++) waitedMs += growingPause(listed, tries);
  return tries;
}

it('makes the listed pauses first, and then each a twentieth longer than the one before', () => {
  expect([0, 1, 2].map((tries) => growingPause(listed, tries))).toEqual([1_000, 5_000, 5_250]);
});

it('is never longer than twenty minutes', () => {
  expect(growingPause(listed, 100_000)).toBe(1_200_000);
});

it('lets the longest LEAD_TTL_H pass before the engine would end the run, at eighteen events a try', () => {
  expect(triesIn(30 * dayMs) * 18).toBeLessThan(51_200);
});
