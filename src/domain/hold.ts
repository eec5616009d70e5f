/**
 * A hold: an upstream that failed three times in a row keeps its leads in a waiting line. Its ids and reports, and what leads and their
 * hold say to each other.
 */
import type { Pause } from './pauses';
import type { Destination, UpstreamName } from './upstreams';

/** The lead was let through by its hold. With `pause-too` no pause stops it either: it is a call or a look-up. */
export type BypassHold = boolean | 'pause-too';

/** A hold as the circuit breaker reports it to the lead that it stops. */
export interface Held extends Destination {
  readonly failures: number;
  readonly failedAt: number;
  readonly reason: string;
  readonly retryAfterMs?: number;
  /** Set if a person's pause stopped the lead. */
  readonly pause?: Pause;
}

/** A lead's place in the waiting line. */
export interface Place {
  readonly workflowId: string;
  readonly runId: string;
  /** The lead was let through before, in vain. */
  readonly again?: boolean;
  /** A pause stopped the lead, so the hold must look whether its upstream is paused. */
  readonly paused?: boolean;
}

/** The report to the hold from a lead that it let through: the upstream answered, it failed, or the lead gave up without asking. */
export type Heard =
  { readonly said: 'answered' | 'gone' } | { readonly said: 'failed'; readonly reason: string; readonly retryAfterMs?: number };

export const holdStates = ['held', 'probing', 'draining', 'paused'] as const;

export interface HoldReport extends Destination {
  readonly state: (typeof holdStates)[number];
  readonly since: string;
  /** Both numbers are absent while no worker answers. */
  readonly failures?: number;
  readonly waiting?: number;
  readonly nextProbeAt?: string;
  readonly lastError?: string;
  /** Of a pause: who, and why. */
  readonly by?: string;
  readonly reason?: string;
}

/** The task queue is part of the id, so that each installation in a namespace has holds of its own. */
export const holdPrefix = (taskQueue: string): string => `hold:${taskQueue}:`;
export const holdId = (taskQueue: string, { upstream, instance }: Destination): string => `${holdPrefix(taskQueue)}${upstream}:${instance}`;

/** The destination of a hold, by the id of its run. */
export function heldBy(taskQueue: string, workflowId: string): Destination {
  const [upstream = '', ...instance] = workflowId.slice(holdPrefix(taskQueue).length).split(':');
  return { upstream: upstream as UpstreamName, instance: instance.join(':') };
}

/** The index query for the open holds of one installation. */
export const openHolds = (taskQueue: string): string =>
  `WorkflowType = 'hold' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${holdPrefix(taskQueue)}'`;
