/**
 * Hands a lead's events over to its outbox, the run that tells them, and starts that run if none is open. A new one takes over what the
 * one before has told, so the newest run of the id knows all events of the lead.
 */
import type { Client } from '@temporalio/client';
import { ApiError } from '../contract/errors';
import { eventOf, isLast, numberIn, outboxIdOf, toTell, type EventOrder, type LeadChange, type OutboxInput } from '../domain/events';
import type { Address } from '../domain/ids';
import type { KeyRing } from '../keys/ring';
import { inputOfOutbox, storedEvents } from '../leads/events';
import { isOpen } from '../leads/runs';
import { newestRun } from '../leads/attempts';
import { askEngine, deleteRun, describe, terminateRun, type Found, unlessNoRun, unlessTaken } from '../temporal/ask';
import { keyMark } from '../temporal/engine';

/** Each try finds another outbox: the one before has ended meanwhile. */
const mostTries = 10;
/** Reason of a termination; the Temporal UI shows it in clear. */
const erased = 'its lead is erased';

export interface EventOutbox {
  /** The same event is told once, however often it is handed over. */
  handOver(change: LeadChange, order: EventOrder, lead: Address): Promise<void>;
  /**
   * Hands over the event of an attempt's end, unless one is there. The run of the attempt is gone and numbers it no more, so it comes after
   * all others of the attempt.
   */
  handOverEnd(change: Omit<LeadChange, 'number'>, order: EventOrder, lead: Address): Promise<void>;
  /** Tells all events of the lead again, with the same ids. The number of events. */
  again(leadId: string): Promise<number>;
}

export interface OutboxNeeds {
  readonly client: Client;
  readonly taskQueue: string;
  readonly keys: KeyRing;
  /** The moment of the copy that the stored runs were restored from, if they were. */
  readonly copiedAt?: number;
}

export function createEventOutbox({ client, taskQueue, keys, copiedAt }: OutboxNeeds): EventOutbox {
  const handleOf = ({ workflowId, runId }: Address) => client.workflow.getHandle(workflowId, runId);

  /** False if the run has ended. */
  const signal = (run: Found, name: string, ...args: unknown[]): Promise<boolean> =>
    askEngine(client, () => handleOf(run).signal(name, ...args)).then(
      () => true,
      (error: unknown) => Boolean(unlessNoRun(error)),
    );

  /** False if another run has taken the id. */
  async function start(input: OutboxInput, lead: Address): Promise<boolean> {
    const workflowId = outboxIdOf(input.leadId);
    const started = await askEngine(client, () =>
      client.workflow.start('leadEvents', {
        workflowId,
        taskQueue,
        args: [input],
        typedSearchAttributes: [keyMark(keys)],
        staticSummary: 'tells the events of a lead',
      }),
    ).catch(unlessTaken);
    if (started) await unlessErased({ workflowId, runId: started.firstExecutionRunId }, lead);
    return started !== undefined;
  }

  /** An erasure that ended before the start has not seen the outbox: its lead is gone by then. */
  async function unlessErased(outbox: Address, lead: Address): Promise<void> {
    if (await describe(client, lead.workflowId, lead.runId)) return;
    await terminateRun(client, outbox, erased);
    await deleteRun(client, outbox);
  }

  const handOver: EventOutbox['handOver'] = async (change, order, lead) => {
    const { leadId } = change;
    const event = eventOf(change, order, copiedAt);
    for (let tries = 0; tries < mostTries; tries++) {
      // Mostly there is no outbox before the first event.
      const isFirst = event.type === 'lead.accepted' && tries === 0;
      const found = isFirst ? undefined : await describe(client, outboxIdOf(leadId));
      if (found && isOpen(found)) {
        if (await signal(found, 'event', event)) return;
        continue;
      }
      const events = found ? await storedEvents(client, found) : [];
      if (events.some(({ id }) => id === event.id)) return;
      if (await start({ leadId, order, events: [...events, toTell(event, order, Date.now())] }, lead)) return;
    }
    throw new Error('The outbox of the lead changes all the time');
  };

  return {
    handOver,

    async handOverEnd(change, order, lead) {
      const outbox = await describe(client, outboxIdOf(change.leadId));
      const stored = outbox ? await storedEvents(client, outbox) : [];
      const ofAttempt = stored.filter(({ attempt }) => attempt === change.attempt);
      if (ofAttempt.some(isLast)) return;
      await handOver({ ...change, number: Math.max(0, ...ofAttempt.map(numberIn)) + 1 }, order, lead);
    },

    async again(leadId) {
      const lead = await newestRun(client, leadId);
      for (let tries = 0; tries < mostTries; tries++) {
        const found = await describe(client, outboxIdOf(leadId));
        if (!found) throw new ApiError('WRONG_STATE', 'The lead has no events: nobody was to be told of it');
        const events = await storedEvents(client, found);
        if (isOpen(found)) {
          if (await signal(found, 'again')) return events.length;
          continue;
        }
        const { order } = await inputOfOutbox(client, found);
        if (await start({ leadId, order, events: events.map((event) => toTell(event, order, Date.now())) }, lead)) return events.length;
      }
      throw new Error('The outbox of the lead changes all the time');
    },
  };
}
