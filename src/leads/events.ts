/** Reads the events of a lead, delivered or waiting, from the run of its outbox. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { engineAway } from '../contract/errors';
import { isPostOf, outboxIdOf, type Delivery, type OutboxInput, type PostNote, type StoredEvent } from '../domain/events';
import { attemptIn } from '../domain/ids';
import type { JsonObject } from '../domain/lead';
import { askEngine, describe, type RunDescription } from '../temporal/ask';
import { decodeError } from '../temporal/decode';
import { bodyOf, isOpen, startInputOf, ignoreLeadNotFound } from './runs';
import { attemptsOf } from './attempts';

export const inputOfOutbox = async (client: Client, run: RunDescription): Promise<OutboxInput> =>
  (await startInputOf(client, run)) as OutboxInput;

/** Reads the events of an outbox. If the outbox was ended outside of Leadgate, only the events of its input are known. */
export async function storedEvents(client: Client, run: RunDescription): Promise<readonly StoredEvent[]> {
  const { workflowId, runId } = run;
  const handle = client.workflow.getHandle<() => Promise<readonly StoredEvent[]>>(workflowId, runId, { followRuns: false });
  if (!isOpen(run)) return askEngine(client, () => handle.result()).catch((error: unknown) => eventsOfInput(client, run, error));
  return askEngine(client, () => handle.query<readonly StoredEvent[]>('events')).catch(() => {
    throw engineAway('No worker answers, so the state of the events is unknown');
  });
}

async function eventsOfInput(client: Client, run: RunDescription, error: unknown): Promise<readonly StoredEvent[]> {
  if (!(error instanceof WorkflowFailedError)) throw error;
  return (await inputOfOutbox(client, run)).events;
}

/** Returns the events of a lead, oldest first; none if there is no outbox. */
export async function eventsOf(client: Client, leadId: string): Promise<readonly StoredEvent[]> {
  const run = await describe(client, outboxIdOf(leadId));
  return run ? eventsIn(client, run) : [];
}

/** Returns the events of an outbox, oldest first, each delivery with its last try. */
export async function eventsIn(client: Client, run: RunDescription): Promise<readonly StoredEvent[]> {
  const events = await storedEvents(client, run);
  const pending = run.raw.pendingActivities ?? [];
  /** Only the engine knows the last try of a delivery that it retries. */
  async function withLastTry(delivery: Delivery, eventId: string): Promise<Delivery> {
    if (delivery.state !== 'waiting') return delivery;
    const post = pending.findLast(({ activityId }) => isPostOf(activityId ?? '', delivery.receiver, eventId));
    const failure = await decodeError(client.options.loadedDataConverter, post?.lastFailure);
    return { ...delivery, ...(failure instanceof ApplicationFailure && (failure.details?.[0] as PostNote)) };
  }
  return Promise.all(
    events.map(async (event) => ({
      ...event,
      deliveries: await Promise.all(event.deliveries.map((delivery) => withLastTry(delivery, event.id))),
    })),
  );
}

/** A delivery as a caller sees it. */
export function shownDelivery(delivery: Delivery): Omit<Delivery, 'orderId'> {
  const { orderId: _, ...shown } = delivery;
  return shown;
}

/** Returns the fields that an attempt was started with; undefined if its run is deleted. */
export async function leadFields(client: Client, leadId: string, attempt: number): Promise<JsonObject | undefined> {
  const attempts = await attemptsOf(client, leadId).catch(ignoreLeadNotFound);
  const run = attempts?.find(({ workflowId }) => attemptIn(workflowId) === attempt);
  return run && bodyOf(client, run);
}
