/**
 * Pauses: a person keeps an upstream from taking leads. What an order to pause or to resume says and changes, how long it is remembered,
 * and which run tells the pauses.
 */
import { covers, isAt, type Destination } from './upstreams';

/** A pause of the instance '' is for the whole upstream. */
export interface Pause extends Destination {
  readonly since: string;
  /** The name of the person's API key; absent if callers need none. */
  readonly by?: string;
  readonly reason: string;
}

/** A person's order to pause or to resume. */
export interface PauseChange extends Destination {
  readonly verb: 'pause' | 'resume';
  readonly by?: string;
  readonly reason: string;
  readonly order?: PauseOrder;
  /** The key that encrypts from now on. */
  readonly keyFingerprint: string;
}

/** An order that was carried out. Its reason stays readable after the next one. */
export interface PastChange extends Omit<PauseChange, 'order' | 'keyFingerprint'> {
  readonly at: string;
}

/** An order that is carried out once. After `keptUntil` its repeat is a new one. */
export interface PauseOrder {
  readonly orderId: string;
  readonly orderDigest: string;
  readonly keptUntil: number;
}

/** The digest of the order that this id belonged to first. If it is another one, nothing was done. */
export interface PauseChanged {
  readonly isRepeat: boolean;
  readonly orderDigest?: string;
}

/**
 * What a worker knows of the pauses is at most this old whenever it begins to send. An order to pause is answered after this time, so no
 * lead begins to go out after the answer.
 */
export const pausesKnownForMs = 2_000;

/** One run has all pauses of an installation, and the past changes. Its memo tells them. */
export const pausesId = (taskQueue: string): string => `pauses:${taskQueue}`;

interface Run {
  readonly status: { readonly name: string };
  readonly memo?: Record<string, unknown>;
}

export interface PausesMemo {
  readonly pauses: readonly Pause[];
  /** The newest first. */
  readonly changes: readonly PastChange[];
}

const memoOfOpen = (run: Run | undefined): Partial<PausesMemo> => (run?.status.name === 'RUNNING' ? (run.memo ?? {}) : {});

/** All pauses, by the run that has them. A run that has ended pauses nothing. */
export const pausesIn = (run: Run | undefined): readonly Pause[] => memoOfOpen(run).pauses ?? [];

/** The past changes, the newest first. */
export const changesIn = (run: Run | undefined): readonly PastChange[] => memoOfOpen(run).changes ?? [];

/** The pause of this destination, or of its whole upstream. */
export const pauseOf = (pauses: readonly Pause[], destination: Destination): Pause | undefined => pauses.find(covers(destination));

export const pausedWords = ({ by }: Pick<Pause, 'by'>): string => `is paused${by ? ` by ${by}` : ''}`;

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
