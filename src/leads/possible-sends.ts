/** Finds the sends of an attempt that may have arrived: those whose events do not prove that nothing was sent. */
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { keptBackIn } from '../domain/kept-back';
import { attemptFailures, type AttemptFailure } from '../domain/outcome';
import { isWrite } from '../domain/sends';
import { historyOf, type RunDescription } from '../temporal/ask';
import { isEncrypted } from '../temporal/codec';
import { decodeValues, type Codecs } from '../temporal/decode';
import { chainOf, isFirstOfChain } from './runs';

type Event = temporal.api.history.v1.IHistoryEvent;

const { TIMEOUT_TYPE_SCHEDULE_TO_START: scheduleToStart } = temporal.api.enums.v1.TimeoutType;

/** Returns the names of the sends that may have arrived. `unknown`: the engine no longer has all histories of the attempt. */
export async function findPossibleSends(client: Client, newest: RunDescription): Promise<ReadonlySet<string> | 'unknown'> {
  const chain = await chainOf(client, newest);
  if (!chain[0] || !isFirstOfChain(chain[0])) return 'unknown';
  const histories = await Promise.all(chain.map((run) => historyOf(client, run)));
  const sends = await Promise.all(histories.map(({ events }) => possibleSendsIn(client, events ?? [])));
  return new Set(sends.flat().map(nameOf));
}

/** True if a send that may have arrived was in progress when the run was cancelled. */
export async function wasCancelledWhileSending(client: Client, events: readonly Event[]): Promise<boolean> {
  const at = events.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes);
  if (at < 0) return false;
  const before = events.slice(0, at);
  const endedBefore = new Set(before.map(scheduledEventIdOf));
  const sends = await possibleSendsIn(client, events);
  return sends.some((send) => before.includes(send) && !endedBefore.has(String(send.eventId)));
}

/** Returns the events that schedule a send which may have arrived. */
async function possibleSendsIn({ options }: Client, events: readonly Event[]): Promise<Event[]> {
  const sends = events.filter((event) => isWrite(nameOf(event)));
  const ends = new Map(events.map((event) => [scheduledEventIdOf(event), event]));
  const isUnsent = await Promise.all(sends.map(({ eventId }) => provesNothingSent(options.loadedDataConverter, ends.get(String(eventId)))));
  return sends.filter((_, at) => !isUnsent[at]);
}

const nameOf = ({ activityTaskScheduledEventAttributes: scheduled }: Event): string => scheduled?.activityType?.name ?? '';

/** Returns the id of the event that scheduled the activity which ends with this event. */
function scheduledEventIdOf(event: Event): string {
  const end = event.activityTaskCompletedEventAttributes ?? event.activityTaskFailedEventAttributes;
  const without = event.activityTaskTimedOutEventAttributes ?? event.activityTaskCanceledEventAttributes;
  return String((end ?? without)?.scheduledEventId);
}

const proofs: readonly string[] = attemptFailures.filter((type) => type !== ('UNKNOWN' satisfies AttemptFailure));

/** True if the activity's end proves that nothing was sent: it was refused, not sent or kept back, or no worker started it. */
async function provesNothingSent(codecs: Codecs, end: Event = {}): Promise<boolean> {
  const { activityTaskCompletedEventAttributes: completed, activityTaskFailedEventAttributes: failed } = end;
  const { activityTaskTimedOutEventAttributes: timedOut, activityTaskCanceledEventAttributes: cancelled } = end;
  if (completed) return wasKeptBack(codecs, completed.result?.payloads ?? []);
  if (failed) return proofs.includes(failed.failure?.applicationFailureInfo?.type ?? '');
  if (timedOut) return timedOut.failure?.timeoutFailureInfo?.timeoutType === scheduleToStart;
  return cancelled ? Number(cancelled.startedEventId ?? 0) === 0 : false;
}

/** A result that cannot be read, or that somebody else wrote, proves nothing. */
async function wasKeptBack(codecs: Codecs, stored: readonly Payload[]): Promise<boolean> {
  const [result] = stored.every(isEncrypted) ? await decodeValues(codecs, stored).catch(() => []) : [];
  return keptBackIn(result) !== undefined;
}
