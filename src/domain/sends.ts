/**
 * Sends inside a workflow's own task: which activities may do so, the task note that goes with them, and the send journal that records
 * them (docs/decisions/0002).
 */
import type { AttemptFailure, AttemptNote } from './outcome';

/** Sends whose first try runs inside the task, after a check that the task has not run before. */
export const quickSends = [
  'forwardLead',
  'sendToRt',
  'sendComments',
  'makeProject',
  'makeList',
  'makeTodo',
  'makeComment',
  'toggleDone',
] as const;

/** The other writes, which are regular activities. */
const otherWrites = ['orderCopy', 'changeProject', 'changeTodo', 'setDue', 'moveTodo', 'setAssigned'] as const;

/**
 * Reads that a repeated task must not repeat. After the send, `checkEmail` would see its own effect. A `getApiKey` that fails then would end
 * the lead as if nothing had been sent.
 */
const remembered = ['getApiKey', 'checkEmail'] as const;

const sends: readonly string[] = quickSends;
const writes: readonly string[] = [...quickSends, ...otherWrites];
const reads: readonly string[] = remembered;
export const isQuickSend = (activity: string): boolean => sends.includes(activity);
/** True if the activity changes something in an upstream. */
export const isWrite = (activity: string): boolean => writes.includes(activity);
export const isRemembered = (activity: string): boolean => reads.includes(activity) || isQuickSend(activity);

/** The task note: what a workflow knows of the task that its local activity runs in. */
export interface TaskNote {
  /** The length of the history when the activity was asked for. */
  readonly length: number;
  /** When that task began, by the engine's clock. */
  readonly taskStartedAt: number;
  /** When the run began, by the engine's clock. */
  readonly startedAt: number;
  /** Counts the activities of this kind in the run, from 1. */
  readonly nth: number;
  /** The id of the run's send journal; absent if it has none. */
  readonly journal?: string;
}

/** A send, or a remembered read, as the journal stores it. */
export interface Send {
  readonly workflowId: string;
  readonly runId: string;
  /** The activity and its number in the run, as `placeOf` makes it. */
  readonly place: string;
  /** The length of the history, as in the task note: it identifies the task. */
  readonly length: number;
}

export const placeOf = (activity: string, nth: number): string => `${activity}:${nth}`;
export function inPlace(place: string): { readonly activity: string; readonly nth: number } {
  const [activity = '', nth] = place.split(':');
  return { activity, nth: Number(nth) };
}

export type Told = { readonly answer: unknown } | { readonly failed: AttemptFailure; readonly note: AttemptNote };

export interface SendJournal {
  readonly id: string;
  /** Looks an entry up: its result, `begun` if the result is missing or unreadable, or undefined if there is no entry. */
  find(runId: string, place: string): Promise<Told | 'begun' | undefined>;
  /**
   * Notes that a send begins; it is on the disk when this resolves. False if its run was stopped, or if another process has begun it. Of two
   * that begin it at once, at most one gets true.
   */
  begin(send: Send): Promise<boolean>;
  /** True if no send of the run may begin any more, in any way. */
  isStopped(runId: string): Promise<boolean>;
  /** Notes a result. It is written when this resolves, and on the disk before the next send of this journal begins. */
  end(send: Send, told: Told): Promise<void>;
}
