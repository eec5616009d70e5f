/**
 * Types and names that runs, activities and the API share: the upstreams, holds (an upstream that failed three times in a row keeps its
 * leads in a waiting line), and the task queues of upstreams with a limit.
 */

export const upstreamNames = ['key-service', 'V1', 'V2', 'recruitment', 'leadforms', 'screening'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/** The subject of a hold: an upstream, and for the site system one instance of it. */
export interface Destination {
  readonly upstream: UpstreamName;
  readonly instance: string;
}

export const nameOf = ({ upstream, instance }: Destination): string => [upstream, instance].filter(Boolean).join(' ');

/** A hold as the circuit breaker reports it to the lead that it stops. */
export interface Held extends Destination {
  readonly failures: number;
  readonly failedAt: number;
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** A lead's place in the waiting line. */
export interface Place {
  readonly workflowId: string;
  readonly runId: string;
  /** The lead was let through before, in vain. */
  readonly again?: boolean;
}

/** The report to the hold from a lead that it let through: the upstream answered, it failed, or the lead gave up without asking. */
export type Heard =
  { readonly said: 'answered' | 'gone' } | { readonly said: 'failed'; readonly reason: string; readonly retryAfterMs?: number };

export const holdStates = ['held', 'probing', 'draining'] as const;

export interface HoldReport extends Destination {
  readonly state: (typeof holdStates)[number];
  readonly since: string;
  readonly failures: number;
  readonly waiting: number;
  readonly nextProbeAt?: string;
  readonly lastError: string;
}

/** The task queue is part of the id, so that each installation in a namespace has holds of its own. */
export const holdPrefix = (taskQueue: string): string => `hold:${taskQueue}:`;
export const holdId = (taskQueue: string, { upstream, instance }: Destination): string => `${holdPrefix(taskQueue)}${upstream}:${instance}`;

/** The index query for the open holds of one installation. */
export const openHolds = (taskQueue: string): string =>
  `WorkflowType = 'hold' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${holdPrefix(taskQueue)}'`;

/** The task queue in which requests to an upstream with a limit wait. */
export const limitedQueue = (taskQueue: string, upstream: UpstreamName): string => `${taskQueue}:${upstream}`;

/** The upstreams whose limit applies to new runs. A limit without a number was taken back. */
export const limitedIn = (limits: Readonly<Partial<Record<UpstreamName, object>>>): UpstreamName[] =>
  upstreamNames.filter((name) => Object.keys(limits[name] ?? {}).length > 0);
