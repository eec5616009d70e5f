/** Finds the sends of an attempt that may have arrived: those whose events do not prove that nothing was sent. */
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { attemptFailures, type AttemptFailure } from '../domain/outcome';
import { isWrite } from '../domain/sends';
import { historyOf, type RunDescription } from '../temporal/ask';
import { chainOf, isFirstOfChain } from './runs';

type Event = temporal.api.history.v1.IHistoryEvent;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: scheduleToStart } = temporal.api.enums.v1.TimeoutType;

/** Returns the names of the sends that may have arrived. `unknown`: the engine no longer has all histories of the attempt. */
export async function findPossibleSends(client: Client, newest: RunDescription): Promise<ReadonlySet<string> | 'unknown'> {
  const chain = await chainOf(client, newest);
  if (!chain[0] || !isFirstOfChain(chain[0])) return 'unknown';
  const histories = await Promise.all(chain.map((run) => historyOf(client, run)));
  return new Set(histories.flatMap(({ events }) => possibleSendsIn(events ?? []).map(nameOf)));
}

/** True if a send that may have arrived was in progress when the run was cancelled. */
export function wasCancelledWhileSending(events: readonly Event[]): boolean {
  const at = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
  if (at < 0) return false;
  const before = events.slice(0, at);
  const endedBefore = new Set(before.map(scheduledEventIdOf));
  return possibleSendsIn(events).some((send) => before.includes(send) && !endedBefore.has(String(send.eventId)));
}

/** Returns the events that schedule a send which may have arrived. */
function possibleSendsIn(events: readonly Event[]): Event[] {
  const notSent = new Set(events.filter(provesNothingSent).map(scheduledEventIdOf));
  return events.filter((event) => isWrite(nameOf(event)) && !notSent.has(String(event.eventId)));
}

const nameOf = ({ activityTaskScheduledEventAttributes: scheduled }: Event): string => scheduled?.activityType?.name ?? '';

/** Returns the id of the event that scheduled the activity which ends with this event. */
function scheduledEventIdOf(event: Event): string {
  const end = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
  const without = event.activityTaskTimedOutEventAttributes ?? event.activityTaskCanceledEventAttributes;
  return String((end ?? without)?.scheduledEventId);
}

const proofs: readonly string[] = attemptFailures.filter((type) => type !== ('UNKNOWN' satisfies AttemptFailure));

/** True if the activity's end proves that nothing was sent: no request was made, it was refused, or no worker started the activity. */
function provesNothingSent(event: Event): boolean {
  const { activityTaskFailedEventAttributes: failed, activityTaskTimedOutEventAttributes: timedOut } = event;
  const { activityTaskCanceledEventAttributes: cancelled } = event;
  if (failed) return proofs.includes(failed.failure?.applicationFailureInfo?.type ?? '');
  if (timedOut) return timedOut.failure?.timeoutFailureInfo?.timeoutType === scheduleToStart;
  return cancelled ? Number(cancelled.startedEventId ?? 0) === 0 : false;
}
