/** The state of the pauses: how an order changes it, and when it forgets past changes and orders. */
import { isAt, type PastChange, type Pause, type PauseChange, type PauseOrder } from './hold';

/** The limits of the past changes that are kept: their number, and the age of each. */
export const pastChangesMost = 20;
export const pastChangeKeptMs = 30 * 86_400_000;

export interface PausesState {
  readonly paused: readonly Pause[];
  readonly orders: readonly PauseOrder[];
  /** The newest first. */
  readonly changes: readonly PastChange[];
}

export const noPauses: PausesState = { paused: [], orders: [], changes: [] };

export const isEmpty = ({ paused, orders, changes }: PausesState): boolean => [paused, orders, changes].every(({ length }) => length === 0);

const endOf = ({ at }: PastChange): number => Date.parse(at) + pastChangeKeptMs;

export function changed(before: PausesState, change: PauseChange, nowMs: number): PausesState {
  const { verb, upstream, instance, by, reason, order } = change;
  const { paused, orders, changes } = forgetting(before, nowMs);
  const at = new Date(nowMs).toISOString();
  const said = { upstream, instance, ...(by && { by }), reason };
  const others = paused.filter((pause) => !isAt(said)(pause));
  return {
    paused: verb === 'pause' ? [...others, { ...said, since: at }] : others,
    orders: order ? [...orders, order] : orders,
    changes: [{ at, verb, ...said }, ...changes].slice(0, pastChangesMost),
  };
}

export const forgetting = ({ paused, orders, changes }: PausesState, nowMs: number): PausesState => ({
  paused,
  orders: orders.filter(({ keptUntil }) => keptUntil > nowMs),
  changes: changes.filter((past) => endOf(past) > nowMs),
});

/** The time until there is something to forget. */
export const forgetsInMs = ({ orders, changes }: PausesState, nowMs: number): number =>
  Math.max(
    1,
    Math.min(pastChangeKeptMs, ...[...orders.map(({ keptUntil }) => keptUntil), ...changes.map(endOf)].map((end) => end - nowMs)),
  );
