/**
 * The pauses of a run that waits for days. Each try adds events, and the engine ends a run at 51,200. So each pause after the listed ones
 * is a twentieth longer, up to twenty minutes. A wait of thirty days takes about two thousand tries.
 */
const growth = 1.05;
const mostMs = 1_200_000;

/** The pause after try number `tries`, counted from 0. */
export function growingPause(listed: readonly number[], tries: number): number {
  const last = listed.at(-1) ?? mostMs;
  return listed[tries] ?? Math.min(last * growth ** (tries - listed.length + 1), mostMs);
}
