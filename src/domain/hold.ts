/**
 * An upstream that fails again and again is held: its leads wait in one line, unsent, and go through one at a time until it
 * answers. The words that the runs, the activities and the API share about that.
 */

export const upstreamNames = ['key-service', 'V1', 'V2', 'recruitment', 'leadforms', 'screening'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/** What is held: an upstream, and of the site system one instance of it. */
export interface Destination {
  readonly upstream: UpstreamName;
  readonly instance: string;
}

/** A hold as whoever is stopped by it sees it. */
export interface Held extends Destination {
  readonly failures: number;
  readonly failedAt: number;
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** One place in the line. */
export interface Place {
  readonly workflowId: string;
  readonly runId: string;
  /** It had its turn already, in vain. */
  readonly again?: boolean;
}

/** What a lead that was let through says of the upstream: it answered, it failed, or the lead never asked it. */
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

/** Of several installations in one namespace each has its own holds. */
export const holdPrefix = (taskQueue: string): string => `hold:${taskQueue}:`;
export const holdId = (taskQueue: string, { upstream, instance }: Destination): string => `${holdPrefix(taskQueue)}${upstream}:${instance}`;

/** The index's question for the holds of one installation. */
export const openHolds = (taskQueue: string): string =>
  `WorkflowType = 'hold' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${holdPrefix(taskQueue)}'`;

/** Where the requests to an upstream with a limit wait. */
export const limitedQueue = (taskQueue: string, upstream: UpstreamName): string => `${taskQueue}:${upstream}`;

/** Where new runs wait for their turn. A limit without a number was taken back. */
export const limitedIn = (limits: Readonly<Partial<Record<UpstreamName, object>>>): UpstreamName[] =>
  upstreamNames.filter((name) => Object.keys(limits[name] ?? {}).length > 0);
