/** Tells from the histories of an attempt's runs which of its sends may have arrived: those whose end does not prove that nothing was sent. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { attemptFailures, type AttemptFailure } from '../domain/outcome';
import { isWrite } from '../domain/sends';
import { historyOf, type Found } from '../temporal/ask';
import { chainOf, isFirstOfChain } from './runs';

type Event = temporal.api.history.v1.IHistoryEvent;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: scheduleToStart } = temporal.api.enums.v1.TimeoutType;

/** The activities that may have sent something. `unknown`: the engine does not have all histories of the attempt any more. */
export async function mayHaveSent(client: Client, newest: Found): Promise<ReadonlySet<string> | 'unknown'> {
  const chain = await chainOf(client, newest);
  if (!chain[0] || !isFirstOfChain(chain[0])) return 'unknown';
  const histories = await Promise.all(chain.map((run) => historyOf(client, run)));
  return new Set(histories.flatMap(({ events }) => sendsIn(events ?? []).map(nameOf)));
}

/** True if a send that may have arrived was under way when the run was cancelled. */
export function wasCancelledWhileSending(events: readonly Event[]): boolean {
  const at = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
  if (at < 0) return false;
  const before = events.slice(0, at);
  const endedBefore = new Set(before.map(scheduledBy));
  return sendsIn(events).some((send) => before.includes(send) && !endedBefore.has(String(send.eventId)));
}

/** The events that schedule a send which may have arrived. */
function sendsIn(events: readonly Event[]): Event[] {
  const notSent = new Set(events.filter(provesNothingSent).map(scheduledBy));
  return events.filter((event) => isWrite(nameOf(event)) && !notSent.has(String(event.eventId)));
}

const nameOf = ({ activityTaskScheduledEventAttributes: scheduled }: Event): string => scheduled?.activityType?.name ?? '';

/** The id of the event that scheduled the activity whose end this event tells. */
function scheduledBy(event: Event): string {
  const end = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
  const without = event.activityTaskTimedOutEventAttributes ?? event.activityTaskCanceledEventAttributes;
  return String((end ?? without)?.scheduledEventId);
}

const proofs: readonly string[] = attemptFailures.filter((type) => type !== ('UNKNOWN' satisfies AttemptFailure));

/** True for an end that proves it: the request was not made or was refused, or no worker took the activity. */
function provesNothingSent(event: Event): boolean {
  const { activityTaskFailedEventAttributes: failed, activityTaskTimedOutEventAttributes: timedOut } = event;
  const { activityTaskCanceledEventAttributes: cancelled } = event;
  if (failed) return proofs.includes(failed.failure?.applicationFailureInfo?.type ?? '');
  if (timedOut) return timedOut.failure?.timeoutFailureInfo?.timeoutType === scheduleToStart;
  return cancelled ? Number(cancelled.startedEventId ?? 0) === 0 : false;
}
