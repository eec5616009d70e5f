/**
 * Posts the events of one lead to each receiver, in order: the lead's outbox. It posts the next event when the one before was received or
 * given up, and ends when no event is pending and the lead has ended or stays quiet. Its result has the deliveries of each event.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { webhookTimeoutMs } from '../domain/deadlines';
import { eventsQueue, givenUpCode, hasGivenUp, isLast, postIdOf, pendingEvent, requeued } from '../domain/events';
import type { Delivery, LeadEvent, OutboxInput, PostNote, Receiver, Resend, StoredEvent } from '../domain/events';
import { lastTryError } from './failures';
import { posting } from './proxies';
import { withCurrentBuild } from './with-current-build';

const eventSignal = defineSignal<[LeadEvent]>('event');
/** Posts all events again, with the same ids. */
const againSignal = defineSignal('again');
/** Posts the selected deliveries again, with the same ids. */
const resendSignal = defineSignal<[Resend]>('resend');
const eventsQuery = defineQuery<readonly StoredEvent[]>('events');

/** The outbox of an open lead stays open for this long, because the next event usually follows soon. */
const lingerMs = 10_000;

withCurrentBuild(leadEvents);

export async function leadEvents({ order, events: before }: OutboxInput): Promise<readonly StoredEvent[]> {
  const events = new Map(before.map((event) => [event.id, event]));
  const activePosts = new Map<CancellationScope, { readonly id: string; readonly receiver: Receiver }>();
  let isIndexedAsGivenUp = workflowInfo().searchAttributes.LeadCode?.[0] === givenUpCode;
  let isOver = false;
  let posts = 0;

  const stored = () => [...events.values()];
  const nextFor = (receiver: Receiver) =>
    stored().find(({ deliveries }) => deliveries.some((each) => each.receiver === receiver && each.state === 'waiting'));
  const hasWaiting = () => order.receivers.some(nextFor);

  setHandler(eventsQuery, stored);
  setHandler(eventSignal, (event) => {
    if (!events.has(event.id)) events.set(event.id, pendingEvent(event, order, Date.now()));
  });
  setHandler(againSignal, () => postAgain({}));
  setHandler(resendSignal, postAgain);
  indexGivenUp();

  function postAgain(resend: Resend): void {
    const earlier = new Map(events);
    for (const event of stored()) events.set(event.id, requeued(event, resend, Date.now()));
    const isAgain = ({ id, receiver }: { readonly id: string; readonly receiver: Receiver }) =>
      deliveryOf(earlier.get(id), receiver) !== deliveryOf(events.get(id), receiver);
    for (const [scope, active] of activePosts) if (isAgain(active)) scope.cancel();
    indexGivenUp();
  }

  /** A search finds the outbox while a delivery is given up. */
  function indexGivenUp(): void {
    const isGivenUp = stored().some(hasGivenUp);
    if (isGivenUp !== isIndexedAsGivenUp) upsertSearchAttributes({ LeadCode: isGivenUp ? [givenUpCode] : [] });
    isIndexedAsGivenUp = isGivenUp;
  }

  async function deliverTo(receiver: Receiver): Promise<void> {
    for (;;) {
      await condition(() => isOver || nextFor(receiver) !== undefined);
      const event = nextFor(receiver);
      if (!event) return;
      setCurrentDetails(`Posts the events of a lead; next for the ${receiver}: ${event.type}`);
      const scope = new CancellationScope();
      activePosts.set(scope, { id: event.id, receiver });
      const ended = await scope.run(() => post(event, receiver)).catch(unlessRestarted);
      activePosts.delete(scope);
      if (ended) storeDelivery(event.id, ended);
    }
  }

  /** A signal to post again cancels the current post. */
  function unlessRestarted(error: unknown): undefined {
    if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
  }

  async function post(event: StoredEvent, receiver: Receiver): Promise<Delivery> {
    const { deliveries: _, giveUpAt, ...told } = event;
    const { callbackUrl } = order;
    const place = { activityId: postIdOf(++posts, receiver, event.id), taskQueue: eventsQueue(workflowInfo().taskQueue), giveUpAt };
    const endedAt = () => new Date(Date.now()).toISOString();
    try {
      const note = await posting(event.type, webhookTimeoutMs, place).postEvent({ event: told, receiver, callbackUrl, giveUpAt });
      return { receiver, state: 'told', ...note, endedAt: endedAt() };
    } catch (error) {
      if (isCancellation(error)) throw error;
      log.warn('an event could not be delivered', { receiver, event: event.id });
      return { receiver, state: 'given-up', ...postNoteIn(error), endedAt: endedAt() };
    }
  }

  function storeDelivery(id: string, ended: Delivery): void {
    const event = events.get(id);
    if (!event) return;
    const deliveries = event.deliveries.map((each) => (each.receiver === ended.receiver ? { ...each, ...ended } : each));
    events.set(id, { ...event, deliveries });
    indexGivenUp();
  }

  async function untilQuiet(): Promise<void> {
    do await condition(() => !hasWaiting());
    while (!isLast(stored().at(-1)) && (await condition(hasWaiting, lingerMs)));
    isOver = true;
  }

  await Promise.all([untilQuiet(), ...order.receivers.map(deliverTo)]);
  return stored();
}

const deliveryOf = (event: StoredEvent | undefined, receiver: Receiver): Delivery | undefined =>
  event?.deliveries.find((each) => each.receiver === receiver);

function postNoteIn(error: unknown): PostNote {
  const ended = error instanceof ActivityFailure ? error.cause : undefined;
  const cause = ended instanceof TimeoutFailure ? lastTryError(ended) : ended;
  const note = cause instanceof ApplicationFailure ? (cause.details?.[0] as PostNote | undefined) : undefined;
  return note ?? { tries: 0 };
}
