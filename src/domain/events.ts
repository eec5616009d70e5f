/** Events: what tools are told of a lead, and how far each event got. Types and small functions. */
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

/** Business terms without personal data. */
export interface EventTerms {
  readonly site?: string;
  readonly studyId?: string;
  readonly protocol?: string;
}

/** Where a lead's events go. A lead whose events nobody hears has none. */
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
  /** The change's place in the attempt's story. */
  readonly number: number;
  readonly at: string;
}

/**
 * `copiedAt`: the moment of the copy that the stored runs were restored from, if they were. The service that was lost may have told
 * another change of a later moment under the same number, so the ids of later changes name the restore.
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
    // A run that was reset by Temporal's own tools may tell another change under the same number.
    id: `${leadId}-${attempt}-${number}-${type.replace('lead.', '')}${since}`,
    attempt,
    type,
    timestamp: at,
    data: { ...lead, ...terms, statusUrl: statusUrlOf(leadId), error },
  };
}

/** The event's place in the attempt's story. */
export const numberIn = ({ id, attempt, data: { leadId } }: LeadEvent): number =>
  Number.parseInt(id.slice(`${leadId}-${attempt}-`.length), 10);

/** After these nothing follows by itself. */
const lastTypes: readonly EventType[] = ['lead.delivered', 'lead.skipped', 'lead.failed', 'lead.discarded'];
export const isLast = (event: LeadEvent | undefined): boolean => event !== undefined && lastTypes.includes(event.type);

export const deliveryStates = ['waiting', 'told', 'given-up'] as const;

export interface Delivery {
  readonly receiver: Receiver;
  readonly state: (typeof deliveryStates)[number];
  readonly tries: number;
  /** What the receiver did at the last try, in our own words. */
  readonly answer?: string;
  readonly endedAt?: string;
}

/** An event and how far it got with each receiver. */
export interface StoredEvent extends LeadEvent {
  readonly deliveries: readonly Delivery[];
  /** In ms. */
  readonly giveUpAt: number;
}

/** An event is tried for three days. */
const giveUpMs = 259_200_000;

export const toTell = (event: LeadEvent, { receivers: all }: Pick<EventOrder, 'receivers'>, nowMs: number): StoredEvent => ({
  ...event,
  giveUpAt: nowMs + giveUpMs,
  deliveries: all.map((receiver) => ({ receiver, state: 'waiting', tries: 0 })),
});

/** The input of an outbox: the run that tells the events of one lead. */
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
  /** A try that fails after this moment is the last, in ms. */
  readonly giveUpAt: number;
}

/** The last try of a post, and how it ended. */
export type PostNote = Pick<Delivery, 'tries' | 'answer'>;

/** The id of the activity that posts an event; `post` counts the posts of the outbox. */
export const postIdOf = (post: number, receiver: Receiver, eventId: string): string => `${post}${placeOf(receiver, eventId)}`;
export const isPostOf = (id: string, receiver: Receiver, eventId: string): boolean => id.endsWith(placeOf(receiver, eventId));
const placeOf = (receiver: Receiver, eventId: string) => `:${receiver}:${eventId}`;

export const outboxIdOf = (leadId: string): string => `events-${leadId}`;

/** Posts wait in a task queue of their own, so that a slow receiver delays no lead. */
export const eventsQueue = (taskQueue: string): string => `${taskQueue}:events`;

/** The query for all outboxes of one installation that have something to tell. */
export const openOutboxes = (taskQueue: string): string =>
  `TaskQueue = '${taskQueue}' AND WorkflowType = 'leadEvents' AND ExecutionStatus = 'Running'`;
