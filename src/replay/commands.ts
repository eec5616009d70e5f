/** What a run did and what the code asks for, in the same words: both are lists of these, and where they part the code has changed. */
import type { temporal } from '@temporalio/proto';
import { isObject } from '../domain/formats';

export interface Done {
  /** The SDK's own name of the command. */
  readonly kind: string;
  /** Of an activity or a child run. */
  readonly name?: string;
  /** A wait that was given up again, perhaps before the engine heard of it. */
  readonly withdrawn?: true;
}

export interface Happened extends Done {
  readonly eventId: number;
}

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;

/** The SDK's name of the event that a local activity leaves. */
export const localActivityMarker = 'core_local_activity';

/** The first that fits says what the event is; most events are no command of the code's. */
const readers: readonly ((event: Event) => Done | null | undefined)[] = [
  ({ activityTaskScheduledEventAttributes: of }) => of && { kind: 'scheduleActivity', name: of.activityType?.name ?? '' },
  ({ markerRecordedEventAttributes: of }) => (of?.markerName === localActivityMarker ? localActivity(of.details?.data) : undefined),
  ({ markerRecordedEventAttributes: of }) => (of?.markerName === 'core_patch' ? { kind: 'setPatchMarker' } : undefined),
  ({ timerStartedEventAttributes: of }) => of && { kind: 'startTimer' },
  ({ upsertWorkflowSearchAttributesEventAttributes: of }) => of && { kind: 'upsertWorkflowSearchAttributes' },
  ({ startChildWorkflowExecutionInitiatedEventAttributes: of }) =>
    of && { kind: 'startChildWorkflowExecution', name: of.workflowType?.name ?? '' },
  ({ signalExternalWorkflowExecutionInitiatedEventAttributes: of }) => of && { kind: 'signalExternalWorkflowExecution' },
  ({ workflowExecutionCompletedEventAttributes: of }) => of && { kind: 'completeWorkflowExecution' },
  ({ workflowExecutionContinuedAsNewEventAttributes: of }) => of && { kind: 'continueAsNewWorkflowExecution' },
  ({ workflowExecutionFailedEventAttributes: of }) => of && { kind: 'failWorkflowExecution' },
];

export const happened = (events: readonly Event[]): Happened[] =>
  events.flatMap((event) => {
    const done = readers.map((read) => read(event)).find(Boolean);
    return done ? [{ ...done, eventId: Number(event.eventId) }] : [];
  });

function localActivity(payloads?: Payloads | null): Done {
  const [payload] = payloads?.payloads ?? [];
  const said: unknown = JSON.parse(Buffer.from(payload?.data ?? []).toString() || '{}');
  return { kind: 'scheduleLocalActivity', name: isObject(said) ? String(said.activity_type) : '' };
}

const compared = new Set([
  ...['scheduleActivity', 'scheduleLocalActivity', 'setPatchMarker', 'startTimer', 'upsertWorkflowSearchAttributes'],
  ...[
    'startChildWorkflowExecution',
    'signalExternalWorkflowExecution',
    'completeWorkflowExecution',
    'failWorkflowExecution',
    'continueAsNewWorkflowExecution',
  ],
]);

/** Of the code's commands those that leave one event each. */
export const isCompared = ({ kind }: Done): boolean => compared.has(kind);

export interface Parting {
  /** What the run did there; undefined where it did nothing more. */
  readonly did?: Happened;
  /** What the code asks for there; undefined where it asks for nothing more. */
  readonly asks?: Done;
}

/** The first place where they differ; undefined where they do not. */
export function parting([one, ...did]: readonly Happened[], [other, ...asked]: readonly Done[]): Parting | undefined {
  if (!one && !other) return undefined;
  if (one?.kind === other?.kind && one?.name === other?.name) return parting(did, asked);
  return other?.withdrawn ? parting(one ? [one, ...did] : did, asked) : { did: one, asks: other };
}
