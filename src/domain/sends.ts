/** What is sent inside a workflow's own task, and the journal that it is noted in (docs/decisions/0017, 0019). */
import type { AttemptFailure, AttemptNote } from './outcome';

/** Their first try runs inside the task, each after it has made sure that it is the first time. */
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

/** What was read before a send and may not be read again after it: by then the answer tells of the send itself. */
const remembered = ['checkEmail'] as const;

const sends: readonly string[] = quickSends;
const reads: readonly string[] = remembered;
export const isQuickSend = (activity: string): boolean => sends.includes(activity);
export const isRemembered = (activity: string): boolean => reads.includes(activity) || isQuickSend(activity);

/** What a workflow knows of the task that its local activity runs in. */
export interface TaskNote {
  /** How long the history was when the activity was asked for. */
  readonly length: number;
  /** When that task began, by the engine's clock. Absent in what older workers noted. */
  readonly taskStartedAt?: number;
  /** When the run began, by the engine's clock. */
  readonly startedAt: number;
  /** Which one of its kind in this run, from 1. */
  readonly nth: number;
  /** The journal that the run's sends are noted in; absent where they are not. */
  readonly journal?: string;
}

/** One of them, or a read that is remembered, in the journal. */
export interface Send {
  readonly workflowId: string;
  readonly runId: string;
  /** The activity, and which one of its kind in the run: `placeOf` makes it. */
  readonly place: string;
  /** As in the note: it names the task. */
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
  /** What is known of it here: nothing, that it began, or how it ended. */
  find(runId: string, place: string): Promise<Told | 'begun' | undefined>;
  /** On the disk when it resolves; false where somebody else has begun it, or its run was stopped. */
  begin(send: Send): Promise<boolean>;
  /** No send of the run may begin any more, in whatever way it would go out. */
  isStopped(runId: string): Promise<boolean>;
  /** Written when it resolves. What was read is on the disk then, what a send came to no later than with the next beginning. */
  end(send: Send, told: Told): Promise<void>;
}
