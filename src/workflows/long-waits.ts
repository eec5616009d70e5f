/**
 * Limits the history of a run that may wait for days. Each try adds events, and the engine ends a run at 51,200, so the pauses grow and a
 * run with a long history continues as new.
 */
import { workflowInfo } from '@temporalio/workflow';

const growth = 1.05;
const mostMs = 1_200_000;

/**
 * The pause after try number `tries`, counted from 0. Each pause after the listed ones is a twentieth longer, up to twenty minutes: a wait of
 * thirty days takes about two thousand tries.
 */
export function growingPause(listed: readonly number[], tries: number): number {
  const last = listed.at(-1) ?? mostMs;
  return listed[tries] ?? Math.min(last * growth ** (tries - listed.length + 1), mostMs);
}

/** The replay of a longer history is slow. */
const longHistory = 1_000;

export const isLong = (): boolean => workflowInfo().historyLength > longHistory || workflowInfo().continueAsNewSuggested;
