/** Reads and decrypts a run's history: the arguments and result of each activity, and the decisions. */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { RunActivity } from '../domain/exchanges';
import { isObject } from '../domain/formats';
import { keptBackIn } from '../domain/kept-back';
import { updateOf, type Decision } from '../domain/lead';
import type { LeadInput } from '../domain/lead-input';
import type { AttemptFailure, AttemptNote } from '../domain/outcome';
import { historyOf, localActivityMarker } from '../temporal/ask';
import { decodeError, decodeValues } from '../temporal/decode';

type Event = temporal.api.history.v1.IHistoryEvent;
type Failure = temporal.api.failure.v1.IFailure;
type Payloads = temporal.api.common.v1.IPayloads;

interface StoredEnd {
  readonly result?: Payloads | null;
  readonly failure?: Failure | null;
}

/** The request id of a workflow task that follows a heartbeat of the task before; its local activity continues. */
const heartbeat = 'request-from-RespondWorkflowTaskCompleted';

const decisionUpdates: readonly string[] = [updateOf({ verb: 'resend' }), updateOf({ verb: 'try' })];

export interface DecodedActivity extends RunActivity {
  /** The event that scheduled it; for a local activity its only event. */
  readonly eventId: string;
  readonly startedAt?: string;
  /** Absent while the activity is running. */
  readonly endedAt?: string;
  readonly failure?: AttemptNote & { readonly type: string };
}

export interface PastDecision {
  readonly at: string;
  readonly decision: Decision;
}

export interface DecodedRun {
  readonly workflow: string;
  readonly startedAt: string;
  readonly lead: LeadInput;
  readonly activities: readonly DecodedActivity[];
  readonly decisions: readonly PastDecision[];
}

export async function readHistory(client: Client, { workflowId, runId }: { workflowId: string; runId: string }): Promise<DecodedRun> {
  const { events } = await historyOf(client, { workflowId, runId });
  const converter = client.options.loadedDataConverter;
  const read = (held: Payloads | null | undefined) => decodeValues(converter, held?.payloads);

  async function failureOf(failure: Failure | null | undefined): Promise<DecodedActivity['failure']> {
    const error = await decodeError(converter, failure);
    if (!error) return undefined;
    if (!(error instanceof ApplicationFailure)) return { type: 'UNKNOWN', message: 'The step ended without reporting its outcome' };
    const note = error.details?.[0] as AttemptNote | undefined;
    return { ...note, type: error.type ?? 'UNKNOWN', message: note?.message ?? error.message };
  }

  /** A request that was kept back reads like one that failed unsent. */
  async function ending({ result: stored, failure }: StoredEnd): Promise<Pick<DecodedActivity, 'result' | 'failure'>> {
    const [result] = await read(stored);
    const keptBack = keptBackIn(result);
    return keptBack
      ? { failure: { ...keptBack, type: 'NOT_SENT' satisfies AttemptFailure } }
      : { result, failure: await failureOf(failure) };
  }

  const activities = new Map<string, DecodedActivity>();
  const decisions: PastDecision[] = [];
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const [lead] = await read(started?.input);

  /** The workflow's own time: a local activity starts with the workflow task, or when the one before it ended. */
  let workflowTime = '';

  for (const event of events ?? []) {
    const id = String(event.eventId);
    const at = momentOf(event.eventTime);
    const task = event.workflowTaskStartedEventAttributes;
    if (task && task.requestId !== heartbeat) workflowTime = at;
    const {
      markerRecordedEventAttributes: marker,
      activityTaskScheduledEventAttributes: scheduled,
      workflowExecutionUpdateAcceptedEventAttributes: accepted,
    } = event;
    if (marker?.markerName === localActivityMarker) {
      const done = { eventId: id, ...(await local(marker, workflowTime, at)) };
      activities.set(id, done);
      workflowTime = done.endedAt ?? workflowTime;
    }
    if (scheduled)
      activities.set(id, {
        eventId: id,
        call: scheduled.activityType?.name ?? '',
        args: await read(scheduled.input),
        startedAt: at,
      });
    const end = endOf(event);
    const open = end && activities.get(String(end.scheduledEventId));
    if (open) activities.set(String(end.scheduledEventId), { ...open, endedAt: at, ...(await ending(end)) });
    if (accepted && decisionUpdates.includes(accepted.acceptedRequest?.input?.name ?? '')) {
      const [decision] = await read(accepted.acceptedRequest?.input?.args);
      decisions.push({ at, decision: decision as Decision });
    }
  }
  return {
    workflow: started?.workflowType?.name ?? '',
    startedAt: momentOf(events?.[0]?.eventTime),
    lead: lead as LeadInput,
    activities: [...activities.values()],
    decisions,
  };

  async function local(
    marker: NonNullable<Event['markerRecordedEventAttributes']>,
    startedAt: string,
    at: string,
  ): Promise<Omit<DecodedActivity, 'eventId'>> {
    const [data] = await read(marker.details?.data);
    const markerData = isObject(data) ? data : {};
    return {
      call: String(markerData.activity_type),
      startedAt,
      endedAt: momentOf(markerData.complete_time) || at,
      ...(await ending({ result: marker.details?.result, failure: marker.failure })),
    };
  }
}

/** Returns the end of an activity: its result or failure, and the id of the event that scheduled it. */
function endOf(event: Event) {
  const { activityTaskCompletedEventAttributes: completed, activityTaskFailedEventAttributes: failed } = event;
  const { activityTaskTimedOutEventAttributes: timedOut, activityTaskCanceledEventAttributes: cancelled } = event;
  if (completed) return { scheduledEventId: completed.scheduledEventId, result: completed.result, failure: undefined };
  const bad = failed ?? timedOut;
  if (bad) return { scheduledEventId: bad.scheduledEventId, result: undefined, failure: bad.failure };
  return cancelled && { scheduledEventId: cancelled.scheduledEventId, result: undefined, failure: undefined };
}

/** Returns the ISO date of the engine's timestamp, or of the one inside a marker; empty if there is none. */
function momentOf(time: unknown): string {
  if (typeof time === 'string') return new Date(time).toISOString();
  if (!isObject(time) || time.seconds === undefined) return '';
  return new Date(Number(time.seconds) * 1000 + Number(time.nanos ?? 0) / 1e6).toISOString();
}
