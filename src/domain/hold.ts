/**
 * Defines the ids, reports and messages of a hold: the waiting line of an upstream that failed for three different leads in a row, or that
 * a person has paused.
 */
import type { Address } from './ids';
import type { Pause } from './pauses';
import type { Destination, UpstreamName } from './upstreams';

/** True for a lead that its hold let through. A call and a look-up have `pause-too`: no pause stops them either. */
export type BypassHold = boolean | 'pause-too';

/** An upstream is held once this many different leads have failed in a row. */
const leadsToHold = 3;

/** Adds a failed lead to the different leads that failed in a row, the latest last. The workflow id stays when a run continues as new. */
export const withFailed = (leads: readonly Address[], failed: Address): readonly Address[] =>
  [...leads.filter(({ workflowId }) => workflowId !== failed.workflowId), failed].slice(-leadsToHold);

export const holdsUpstream = (leads: readonly Address[]): boolean => leads.length >= leadsToHold;

/** The last error of a hold, for the middle of a sentence. */
export const lastErrorWords = (reason: string): string => `the last error: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;

/** A hold as the circuit breaker reports it to the lead that it stops. */
export interface HoldNotice extends Destination {
  readonly failures: number;
  /** The different leads, and calls, that failed in a row, the latest last. */
  readonly leads: readonly Address[];
  readonly failedAt: number;
  readonly reason: string;
  readonly retryAfterMs?: number;
  /** Set if a person's pause stopped the lead. */
  readonly pause?: Pause;
}

/** A lead's place in the waiting line. */
export interface LinePlace extends Address {
  /** The lead was let through to try the held upstream, and failed. */
  readonly again?: boolean;
  /** A pause stopped the lead, so the hold must read the pause. */
  readonly paused?: boolean;
}

/** The report of a lead to its hold: the upstream answered, it failed, or the lead left without a request. */
export type ProbeResult =
  { readonly said: 'answered' | 'gone' } | { readonly said: 'failed'; readonly reason: string; readonly retryAfterMs?: number };

export interface LeadResult extends Address {
  readonly heard: ProbeResult;
}

export const holdStates = ['held', 'probing', 'draining', 'paused'] as const;

export interface HoldReport extends Destination {
  readonly state: (typeof holdStates)[number];
  readonly since: string;
  /** This and `waiting` are absent while no worker answers the query. */
  readonly failures?: number;
  readonly waiting?: number;
  readonly nextProbeAt?: string;
  readonly lastError?: string;
  /** The lead that failed last. */
  readonly leadId?: string;
  /** Of a pause: who paused the upstream, and why. */
  readonly by?: string;
  readonly reason?: string;
}

/** The answer of a hold to a query. It knows the run of the lead that failed last. */
export interface HoldQueryResult extends HoldReport {
  readonly failedLast?: Address;
}

/** The id contains the task queue, so that each installation in a namespace has its own holds. */
export const holdPrefix = (taskQueue: string): string => `hold:${taskQueue}:`;
export const holdId = (taskQueue: string, { upstream, instance }: Destination): string => `${holdPrefix(taskQueue)}${upstream}:${instance}`;

/** The destination of a hold, by the id of its run. */
export function holdDestination(taskQueue: string, workflowId: string): Destination {
  const [upstream = '', ...instance] = workflowId.slice(holdPrefix(taskQueue).length).split(':');
  return { upstream: upstream as UpstreamName, instance: instance.join(':') };
}

/** The index query for the open holds of one installation. */
export const openHolds = (taskQueue: string): string =>
  `WorkflowType = 'hold' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH '${holdPrefix(taskQueue)}'`;
