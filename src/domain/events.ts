/** Makes the events of a lead, which are posted to its receivers (webhooks), and defines the types of their deliveries. */
import { statusUrlOf } from './ids';
import type { Failure, LeadReport, State } from './lead';

/** `webhook` is the server's own receiver, `callback` the one that the lead's request named. */
export const receivers = ['webhook', 'callback'] as const;
export type Receiver = (typeof receivers)[number];

export const eventTypes = [
  'lead.accepted',
  'lead.delivered',
  'lead.skipped',
  'lead.parked',
  'lead.failed',
  'lead.discarded',
  'lead.redriven',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Business terms without personal data, and the reference as it is shown. */
export interface EventTerms {
  readonly reference?: string;
  readonly site?: string;
  readonly studyId?: string;
  readonly protocol?: string;
}

/** Where a lead's events are posted. A lead without receivers has none. */
export interface EventOrder {
  readonly receivers: readonly Receiver[];
  readonly callbackUrl?: string;
  readonly terms: EventTerms;
}

export interface LeadEvent {
  /** The webhook-id: the same at every try. */
  readonly id: string;
  readonly attempt: number;
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: EventTerms & {
    readonly leadId: string;
    readonly flow: string;
    readonly state: State;
    readonly step?: string;
    readonly statusUrl: string;
    readonly error?: Pick<Failure, 'code' | 'message'>;
  };
}

/** A change of a lead, as its run hands it over. */
export interface LeadChange extends Pick<LeadReport, 'leadId' | 'flow' | 'state' | 'step' | 'failure'> {
  readonly type: EventType;
  readonly attempt: number;
  /** The number of the change within its attempt. */
  readonly number: number;
  readonly at: string;
}

/**
 * Makes the event of a change. `copiedAt` is the time of the copy that the data was restored from. The lost service may have posted another
 * change after that time under the same number, so the ids of later changes name the restore.
 */
export function eventOf(
  { type, attempt, number, at, failure, ...lead }: LeadChange,
  { terms }: EventOrder,
  copiedAt = Infinity,
): LeadEvent {
  const { leadId } = lead;
  const since = Date.parse(at) > copiedAt ? `-${copiedAt.toString(36)}` : '';
  const error = failure && { code: failure.code, message: failure.message };
  return {
    // The type is in the id, because a run that was reset with Temporal's tools may report another change under the same number.
    id: `${leadId}-${attempt}-${number}-${type.replace('lead.', '')}${since}`,
    attempt,
    type,
    timestamp: at,
    data: { ...lead, ...terms, statusUrl: statusUrlOf(leadId), error },
  };
}

/** The number of the event's change within its attempt. */
export const changeNumberOf = ({ id, attempt, data: { leadId } }: LeadEvent): number =>
  Number.parseInt(id.slice(`${leadId}-${attempt}-`.length), 10);

/** After these no event follows until a person acts. */
const lastTypes: readonly EventType[] = ['lead.delivered', 'lead.skipped', 'lead.failed', 'lead.discarded'];
export const isLast = (event: LeadEvent | undefined): boolean => event !== undefined && lastTypes.includes(event.type);

export const deliveryStates = ['waiting', 'told', 'given-up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  readonly receiver: Receiver;
  readonly state: DeliveryState;
  readonly tries: number;
  /** The receiver's last answer, or why there was none, in the gateway's own words. */
  readonly answer?: string;
  readonly endedAt?: string;
  /** The bulk order that queued it again. */
  readonly orderId?: string;
}

/** An event and its deliveries. */
export interface StoredEvent extends LeadEvent {
  readonly deliveries: readonly Delivery[];
  /** In ms. */
  readonly giveUpAt: number;
}

/** An event is posted for up to three days. */
const giveUpMs = 259_200_000;

export const pendingEvent = (event: LeadEvent, { receivers: all }: Pick<EventOrder, 'receivers'>, nowMs: number): StoredEvent => ({
  ...event,
  giveUpAt: nowMs + giveUpMs,
  deliveries: all.map((receiver) => ({ receiver, state: 'waiting', tries: 0 })),
});

/** Selects deliveries; empty for all. `since` and `until` are times of the event. */
export interface DeliveryFilter {
  readonly eventId?: string;
  readonly type?: EventType;
  readonly receiver?: Receiver;
  readonly state?: DeliveryState;
  readonly since?: string;
  readonly until?: string;
}

export function isSelected(filter: DeliveryFilter, { id, type, timestamp }: LeadEvent, { receiver, state }: Delivery): boolean {
  const at = Date.parse(timestamp);
  const isEqual = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;
  return (
    isEqual(filter.eventId, id) &&
    isEqual(filter.type, type) &&
    isEqual(filter.receiver, receiver) &&
    isEqual(filter.state, state) &&
    !(filter.since && at < Date.parse(filter.since)) &&
    !(filter.until && at > Date.parse(filter.until))
  );
}

/** Selects only deliveries that were given up. */
export const givenUp = (filter: DeliveryFilter): DeliveryFilter => ({ ...filter, state: 'given-up' });

/** Deliveries to post again, with their original webhook-id. A bulk order does so once, even if it asks twice. */
export interface Resend extends DeliveryFilter {
  readonly orderId?: string;
}

/** Queues the selected deliveries of an event again. */
export function requeued(event: StoredEvent, { orderId, ...filter }: Resend, nowMs: number): StoredEvent {
  const isAgain = (delivery: Delivery) => isSelected(filter, event, delivery);
  if (!event.deliveries.some(isAgain)) return event;
  const queued = ({ receiver }: Delivery): Delivery => ({ receiver, state: 'waiting', tries: 0, ...(orderId && { orderId }) });
  const deliveries = event.deliveries.map((delivery) => (isAgain(delivery) ? queued(delivery) : delivery));
  return { ...event, giveUpAt: nowMs + giveUpMs, deliveries };
}

export const hasGivenUp = ({ deliveries }: StoredEvent): boolean => deliveries.some(({ state }) => state === 'given-up');

/** The LeadCode of an outbox with a delivery that was given up. No lead has this code. */
export const givenUpCode = 'EVENT_GIVEN_UP';

/** The input of an outbox: the run that posts the events of one lead. */
export interface OutboxInput {
  readonly leadId: string;
  readonly order: EventOrder;
  readonly events: readonly StoredEvent[];
}

/** One post of one event. */
export interface EventPost {
  readonly event: LeadEvent;
  readonly receiver: Receiver;
  readonly callbackUrl?: string;
  /** A try that fails after this time is the last, in ms. */
  readonly giveUpAt: number;
}

/** The number of tries of a post, and the last answer. */
export type PostNote = Pick<Delivery, 'tries' | 'answer'>;

/** The id of the activity that posts an event; `post` counts the posts of the outbox. */
export const postIdOf = (post: number, receiver: Receiver, eventId: string): string => `${post}${placeOf(receiver, eventId)}`;
export const isPostOf = (id: string, receiver: Receiver, eventId: string): boolean => id.endsWith(placeOf(receiver, eventId));
const placeOf = (receiver: Receiver, eventId: string) => `:${receiver}:${eventId}`;

const outboxPrefix = 'events-';
export const outboxIdOf = (leadId: string): string => `${outboxPrefix}${leadId}`;
export const leadIdOfOutbox = (workflowId: string): string => workflowId.slice(outboxPrefix.length);

/** Posts have a separate task queue, so that a slow receiver delays no lead. */
export const eventsQueue = (taskQueue: string): string => `${taskQueue}:events`;

/** The index query for the outboxes of one installation. */
export const outboxes = (taskQueue: string): string => `TaskQueue = '${taskQueue}' AND WorkflowType = 'leadEvents'`;
export const openOutboxes = (taskQueue: string): string => `${outboxes(taskQueue)} AND ExecutionStatus = 'Running'`;
