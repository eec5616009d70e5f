/**
 * Changes the pauses of upstreams: applies an order to pause or resume, drops expired ones, and reads the pauses from the memo of their run.
 */
import { covers, isAt, type Destination } from './upstreams';

/** A pause by a person. The instance '' stands for the whole upstream. */
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
  /** The fingerprint of the current encryption key. */
  readonly keyFingerprint: string;
}

/** An order that was carried out, kept so that its reason can be read after the next one. */
export interface PastChange extends Omit<PauseChange, 'order' | 'keyFingerprint'> {
  readonly at: string;
}

/** An order that is carried out once. After `keptUntil` its repeat is a new one. */
export interface PauseOrder {
  readonly orderId: string;
  readonly orderDigest: string;
  readonly keptUntil: number;
}

/** The result of an order. A repeat with another digest than the first order of its id changed nothing. */
export interface PauseResult {
  readonly isRepeat: boolean;
  readonly orderDigest?: string;
}

/**
 * The maximum age of a worker's cached pauses when it begins to send. An order to pause is answered after this time, so no send begins
 * after the answer.
 */
export const pausesCachedMs = 2_000;

/** The workflow id of the run that keeps the pauses and past changes of an installation. */
export const pausesId = (taskQueue: string): string => `pauses:${taskQueue}`;

interface PausesRun {
  readonly status: { readonly name: string };
  readonly memo?: Record<string, unknown>;
}

export interface PausesMemo {
  readonly pauses: readonly Pause[];
  /** The newest first. */
  readonly changes: readonly PastChange[];
}

const openMemo = (run: PausesRun | undefined): Partial<PausesMemo> => (run?.status.name === 'RUNNING' ? (run.memo ?? {}) : {});

/** The pauses in the memo of their run. After the run has ended, nothing is paused. */
export const pausesIn = (run: PausesRun | undefined): readonly Pause[] => openMemo(run).pauses ?? [];

/** The past changes, the newest first. */
export const changesIn = (run: PausesRun | undefined): readonly PastChange[] => openMemo(run).changes ?? [];

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

export function applyChange(before: PausesState, change: PauseChange, nowMs: number): PausesState {
  const { verb, upstream, instance, by, reason, order } = change;
  const { paused, orders, changes } = dropExpired(before, nowMs);
  const at = new Date(nowMs).toISOString();
  const said = { upstream, instance, ...(by && { by }), reason };
  const others = paused.filter((pause) => !isAt(said)(pause));
  return {
    paused: verb === 'pause' ? [...others, { ...said, since: at }] : others,
    orders: order ? [...orders, order] : orders,
    changes: [{ at, verb, ...said }, ...changes].slice(0, pastChangesMost),
  };
}

export const dropExpired = ({ paused, orders, changes }: PausesState, nowMs: number): PausesState => ({
  paused,
  orders: orders.filter(({ keptUntil }) => keptUntil > nowMs),
  changes: changes.filter((past) => endOf(past) > nowMs),
});

/** The time until the next order or change expires. */
export const msUntilExpiry = ({ orders, changes }: PausesState, nowMs: number): number =>
  Math.max(
    1,
    Math.min(pastChangeKeptMs, ...[...orders.map(({ keptUntil }) => keptUntil), ...changes.map(endOf)].map((end) => end - nowMs)),
  );
