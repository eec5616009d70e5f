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
  return new Set(histories.flatMap(({ events }) => sendsIn(events ?? [])));
}

function sendsIn(events: readonly Event[]): string[] {
  const notSent = new Set(events.filter(provesNothingSent).map((event) => String(scheduledBy(event))));
  return events.flatMap(({ eventId, activityTaskScheduledEventAttributes: scheduled }) => {
    const name = scheduled?.activityType?.name ?? '';
    return isWrite(name) && !notSent.has(String(eventId)) ? [name] : [];
  });
}

const scheduledBy = (event: Event) =>
  (event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes ?? event.activityTaskCanceledEventAttributes)
    ?.scheduledEventId;

const proofs: readonly string[] = attemptFailures.filter((type) => type !== ('UNKNOWN' satisfies AttemptFailure));

/** True for an end that proves it: the request was not made or was refused, or no worker took the activity. */
function provesNothingSent(event: Event): boolean {
  const { activityTaskFailedEventAttributes: failed, activityTaskTimedOutEventAttributes: timedOut } = event;
  const { activityTaskCanceledEventAttributes: cancelled } = event;
  if (failed) return proofs.includes(failed.failure?.applicationFailureInfo?.type ?? '');
  if (timedOut) return timedOut.failure?.timeoutFailureInfo?.timeoutType === scheduleToStart;
  return cancelled ? Number(cancelled.startedEventId ?? 0) === 0 : false;
}
