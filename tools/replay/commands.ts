/** Lists what a run did and what the code asks for as the same kind of commands, and finds the first difference. */
import type { temporal } from '@temporalio/proto';
import { isObject } from '../../src/domain/formats';
import { localActivityMarker } from '../../src/temporal/ask';

export interface Done {
  /** The SDK's name of the command. */
  readonly kind: string;
  /** The name of the activity or child workflow. */
  readonly name?: string;
  /** A timer that was cancelled, perhaps before the engine heard of it. */
  readonly withdrawn?: true;
}

export interface Happened extends Done {
  readonly eventId: number;
}

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;

/** Reads an event as a command; the first match counts. Most events are no commands. */
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

/** True for commands that leave exactly one event. */
export const isCompared = ({ kind }: Done): boolean => compared.has(kind);

export interface Parting {
  /** The run's command here; undefined if it did nothing more. */
  readonly did?: Happened;
  /** The code's command here; undefined if it asks for nothing more. */
  readonly asks?: Done;
}

/** The first difference; undefined if there is none. */
export function parting([one, ...did]: readonly Happened[], [other, ...asked]: readonly Done[]): Parting | undefined {
  if (!one && !other) return undefined;
  if (one?.kind === other?.kind && one?.name === other?.name) return parting(did, asked);
  return other?.withdrawn ? parting(one ? [one, ...did] : did, asked) : { did: one, asks: other };
}
