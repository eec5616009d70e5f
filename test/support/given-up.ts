/** Makes leads with events that were given up, as if their receiver had been down for three days. */
import {
  eventOf,
  outboxIdOf,
  pendingEvent,
  type EventOrder,
  type EventType,
  type OutboxInput,
  type StoredEvent,
} from '../../src/domain/events';
import type { State } from '../../src/domain/lead';
import type { Gateway } from './gateway';
import type { Upstream } from './upstream';

interface GivenUp {
  /** The time of the events. */
  readonly at?: string;
  readonly types?: readonly EventType[];
}

/** The lead must have no outbox. Afterwards the receiver is up. */
export async function giveUpEvents(
  { client, config }: Pick<Gateway, 'client' | 'config'>,
  receiver: Upstream,
  leadId: string,
  { at = new Date().toISOString(), types = ['lead.accepted', 'lead.delivered'] }: GivenUp = {},
): Promise<void> {
  const order: EventOrder = { receivers: ['callback'], callbackUrl: `${receiver.url}/hook?token=secret`, terms: {} };
  const events = types.map((type, place) => {
    const change = { leadId, flow: 'no-prescreen', attempt: 1, at, state: 'running' as State, number: place + 1, type };
    return { ...pendingEvent(eventOf(change, order), order, 0), giveUpAt: Date.now() };
  });
  const input: OutboxInput = { leadId, order, events };
  receiver.answerAlways({ status: 503, body: {} });
  const run = { workflowId: outboxIdOf(leadId), taskQueue: config.TASK_QUEUE, args: [input] };
  const outbox = await client.workflow.start('leadEvents', run);
  const states = ((await outbox.result()) as StoredEvent[]).flatMap(({ deliveries }) => deliveries.map(({ state }) => state));
  receiver.answerAlways({ body: {} });
  if (states.some((state) => state !== 'given-up')) throw new Error(`The events of the lead are ${states.join()}`);
}
