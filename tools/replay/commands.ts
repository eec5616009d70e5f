/** Compares the commands in a run's history with the commands of the code in a replay, and finds the first difference. */
import type { temporal } from '@temporalio/proto';
import { isObject } from '../../src/domain/formats';
import { localActivityMarker } from '../../src/temporal/ask';

export interface Command {
  /** The name of the command in the SDK. */
  readonly kind: string;
  /** The name of the activity or child workflow. */
  readonly name?: string;
  /** Set for a timer that was cancelled, perhaps before the engine started it. */
  readonly cancelled?: true;
}

export interface RecordedCommand extends Command {
  readonly eventId: number;
}

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads;

/** Convert an event to its command; the first match counts. Most events have none. */
const readers: readonly ((event: Event) => Command | null | undefined)[] = [
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

export const recordedCommands = (events: readonly Event[]): RecordedCommand[] =>
  events.flatMap((event) => {
    const done = readers.map((read) => read(event)).find(Boolean);
    return done ? [{ ...done, eventId: Number(event.eventId) }] : [];
  });

function localActivity(payloads?: Payloads | null): Command {
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

/** True for commands that create exactly one event. */
export const isCompared = ({ kind }: Command): boolean => compared.has(kind);

export interface Difference {
  /** The command in the history; undefined if the history ends here. */
  readonly recorded?: RecordedCommand;
  /** The command of the code; undefined if the code issues no further one. */
  readonly issued?: Command;
}

/** Returns the first difference; undefined if there is none. */
export function firstDifference(
  [recorded, ...laterRecorded]: readonly RecordedCommand[],
  [issued, ...laterIssued]: readonly Command[],
): Difference | undefined {
  if (!recorded && !issued) return undefined;
  if (recorded?.kind === issued?.kind && recorded?.name === issued?.name) return firstDifference(laterRecorded, laterIssued);
  if (!issued?.cancelled) return { recorded, issued };
  return firstDifference(recorded ? [recorded, ...laterRecorded] : laterRecorded, laterIssued);
}
