/**
 * The pauses of a run that waits for days. The engine ends a run at 51,200 events, and every try adds some. So after the listed pauses,
 * each is a twentieth longer than the one before, up to twenty minutes: thirty days take some two thousand tries.
 */
const growth = 1.05;
const mostMs = 1_200_000;

/** The pause after so many tries. The last listed one is where the growth begins. */
export function growingPause(listed: readonly number[], tries: number): number {
  const last = listed.at(-1) ?? mostMs;
  return listed[tries] ?? Math.min(last * growth ** (tries - listed.length + 1), mostMs);
}
