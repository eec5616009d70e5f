/**
 * Hands a lead's events to its outbox, the run that delivers them, and starts that run if none is open. A new outbox gets the events of the
 * one before, so the newest run of the id has all events of the lead.
 */
import type { Client } from '@temporalio/client';
import { ApiError } from '../contract/errors';
import {
  eventOf,
  givenUpCode,
  hasGivenUp,
  isLast,
  changeNumberOf,
  outboxIdOf,
  isSelected,
  pendingEvent,
  requeued,
  type Delivery,
  type EventOrder,
  type LeadChange,
  type OutboxInput,
  type Resend,
  type StoredEvent,
} from '../domain/events';
import type { Address } from '../domain/ids';
import type { KeyRing } from '../keys/ring';
import { inputOfOutbox, storedEvents } from '../leads/events';
import { isOpen } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import type { Search } from '../leads/search';
import {
  askEngine,
  deleteRun,
  describe,
  terminateRun,
  type RunDescription,
  ignoreRunNotFound,
  ignoreAlreadyStarted,
} from '../temporal/ask';
import { attributes, keyAttribute } from '../temporal/engine';

/** Each try finds that the outbox of the try before has ended. */
const mostTries = 10;
/** The reason of a termination, which the Temporal UI shows in clear. */
const erased = 'its lead was erased';

export interface EventOutbox {
  /** Hands over one event. A repeat of the same event does nothing. */
  handOver(change: LeadChange, order: EventOrder, lead: Address): Promise<void>;
  /**
   * Hands over the event of an attempt's end, unless the outbox has one. The attempt's run has ended and cannot number it, so it gets the
   * next number of the attempt.
   */
  handOverEnd(change: Omit<LeadChange, 'number'>, order: EventOrder, lead: Address): Promise<void>;
  /** Delivers events of the lead again, with the same ids: all, or the selected deliveries. Returns the number of events. */
  resend(leadId: string, selected?: Resend): Promise<number>;
}

export interface OutboxNeeds {
  readonly client: Client;
  readonly taskQueue: string;
  readonly keys: KeyRing;
  /** The moment of the copy that the stored runs were restored from, if they were. */
  readonly copiedAt?: number;
  /** Learns of each outbox that was started, so that the next list has it. */
  readonly search?: Pick<Search, 'recordChange'>;
}

export function createEventOutbox({ client, taskQueue, keys, copiedAt, search }: OutboxNeeds): EventOutbox {
  const handleOf = ({ workflowId, runId }: Address) => client.workflow.getHandle(workflowId, runId);

  /** False if the run has ended. */
  const signal = (run: RunDescription, name: string, ...args: unknown[]): Promise<boolean> =>
    askEngine(client, () => handleOf(run).signal(name, ...args)).then(
      () => true,
      (error: unknown) => Boolean(ignoreRunNotFound(error)),
    );

  /** False if another run has the id. */
  async function start(input: OutboxInput, lead: Address): Promise<boolean> {
    const workflowId = outboxIdOf(input.leadId);
    const started = await askEngine(client, () =>
      client.workflow.start('leadEvents', {
        workflowId,
        taskQueue,
        args: [input],
        // A search for given-up deliveries finds the outbox from its start, also before its first task.
        typedSearchAttributes: [
          keyAttribute(keys),
          ...(input.events.some(hasGivenUp) ? [{ key: attributes.code, value: givenUpCode }] : []),
        ],
        staticSummary: 'delivers the events of a lead to their receivers',
      }),
    ).catch(ignoreAlreadyStarted);
    if (!started) return false;
    const outbox = { workflowId, runId: started.firstExecutionRunId };
    search?.recordChange(outbox, 'started');
    await removeIfErased(outbox, lead);
    return true;
  }

  /** Removes the new outbox if its lead is gone: an erasure that ended before the start has not seen it. */
  async function removeIfErased(outbox: Address, lead: Address): Promise<void> {
    if (await describe(client, lead.workflowId, lead.runId)) return;
    await terminateRun(client, outbox, erased);
    await deleteRun(client, outbox);
  }

  const handOver: EventOutbox['handOver'] = async (change, order, lead) => {
    const { leadId } = change;
    const event = eventOf(change, order, copiedAt);
    for (let tries = 0; tries < mostTries; tries++) {
      // Usually there is no outbox before the first event.
      const isFirst = event.type === 'lead.accepted' && tries === 0;
      const found = isFirst ? undefined : await describe(client, outboxIdOf(leadId));
      if (found && isOpen(found)) {
        if (await signal(found, 'event', event)) return;
        continue;
      }
      const events = found ? await storedEvents(client, found) : [];
      if (events.some(({ id }) => id === event.id)) return;
      if (await start({ leadId, order, events: [...events, pendingEvent(event, order, Date.now())] }, lead)) return;
    }
    throw new Error('The outbox of the lead kept changing: no try succeeded');
  };

  return {
    handOver,

    async handOverEnd(change, order, lead) {
      const outbox = await describe(client, outboxIdOf(change.leadId));
      const stored = outbox ? await storedEvents(client, outbox) : [];
      const ofAttempt = stored.filter(({ attempt }) => attempt === change.attempt);
      if (ofAttempt.some(isLast)) return;
      await handOver({ ...change, number: Math.max(0, ...ofAttempt.map(changeNumberOf)) + 1 }, order, lead);
    },

    async resend(leadId, selected) {
      const lead = await newestRun(client, leadId);
      for (let tries = 0; tries < mostTries; tries++) {
        const found = await describe(client, outboxIdOf(leadId));
        if (!found) throw new ApiError('WRONG_STATE', 'The lead has no events: no receiver was set when it was accepted');
        const events = await storedEvents(client, found);
        const count = countSelected(events, selected);
        if (count === 'resent before') return 0;
        if (isOpen(found)) {
          if (await (selected ? signal(found, 'resend', selected) : signal(found, 'again'))) return count;
          continue;
        }
        const { order } = await inputOfOutbox(client, found);
        if (await start({ leadId, order, events: events.map((event) => requeued(event, selected ?? {}, Date.now())) }, lead)) return count;
      }
      throw new Error('The outbox of the lead kept changing: no try succeeded');
    },
  };
}

/** Counts the events with a selected delivery. Throws if there is none. */
function countSelected(events: readonly StoredEvent[], { orderId, ...filter }: Resend = {}): number | 'resent before' {
  const has = (isIt: (delivery: Delivery, event: StoredEvent) => boolean) =>
    events.filter((event) => event.deliveries.some((delivery) => isIt(delivery, event)));
  if (orderId && has((delivery) => delivery.orderId === orderId).length > 0) return 'resent before';
  if (filter.eventId && !events.some(({ id }) => id === filter.eventId))
    throw new ApiError('NOT_FOUND', 'The lead has no event with this id');
  const { length } = has((delivery, event) => isSelected(filter, event, delivery));
  if (length === 0) throw new ApiError('WRONG_STATE', 'The lead has no such delivery now');
  return length;
}
