/**
 * Types and names that runs, activities and the API share: the upstreams, holds (an upstream that failed three times in a row keeps its
 * leads in a waiting line), pauses (a person keeps an upstream from taking leads), and the task queues of upstreams with a limit.
 */
export const upstreamNames = ['key-service', 'V1', 'V2', 'recruitment', 'leadforms', 'screening'] as const;
export type UpstreamName = (typeof upstreamNames)[number];

/** The subject of a hold: an upstream, and for the site system one instance of it. */
export interface Destination {
  readonly upstream: UpstreamName;
  readonly instance: string;
}

export const isAt = (one: Destination) => (other: Destination) => one.upstream === other.upstream && one.instance === other.instance;

export const nameOf = ({ upstream, instance }: Destination): string => [upstream, instance].filter(Boolean).join(' ');

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

/** The task queue in which requests to an upstream with a limit wait. */
export const limitedQueue = (taskQueue: string, upstream: UpstreamName): string => `${taskQueue}:${upstream}`;

/** The upstreams whose limit applies to new runs. A limit without a number was taken back. */
export const limitedIn = (limits: Readonly<Partial<Record<UpstreamName, object>>>): UpstreamName[] =>
  upstreamNames.filter((name) => Object.keys(limits[name] ?? {}).length > 0);

/** A pause of the instance '' is for the whole upstream. */
export interface Pause extends Destination {
  readonly since: string;
  /** The name of the person's API key; absent if callers need none. */
  readonly by?: string;
  readonly reason: string;
}

/** A person's order to pause or to resume. */
export interface PauseChange extends Destination {
  readonly verb: 'pause' | 'resume';
  readonly by?: string;
  readonly reason: string;
  readonly order?: PauseOrder;
  /** The key that encrypts from now on. */
  readonly keyFingerprint: string;
}

/** An order that was carried out. Its reason stays readable after the next one. */
export interface PastChange extends Omit<PauseChange, 'order' | 'keyFingerprint'> {
  readonly at: string;
}

/** An order that is carried out once. After `keptUntil` its repeat is a new one. */
export interface PauseOrder {
  readonly orderId: string;
  readonly orderDigest: string;
  readonly keptUntil: number;
}

/** The digest of the order that this id belonged to first. If it is another one, nothing was done. */
export interface PauseChanged {
  readonly isRepeat: boolean;
  readonly orderDigest?: string;
}

/**
 * What a worker knows of the pauses is at most this old whenever it begins to send. An order to pause is answered after this time, so no
 * lead begins to go out after the answer.
 */
export const pausesKnownForMs = 2_000;

/** One run has all pauses of an installation, and the past changes. Its memo tells them. */
export const pausesId = (taskQueue: string): string => `pauses:${taskQueue}`;

interface Run {
  readonly status: { readonly name: string };
  readonly memo?: Record<string, unknown>;
}

export interface PausesMemo {
  readonly pauses: readonly Pause[];
  /** The newest first. */
  readonly changes: readonly PastChange[];
}

const memoOfOpen = (run: Run | undefined): Partial<PausesMemo> => (run?.status.name === 'RUNNING' ? (run.memo ?? {}) : {});

/** All pauses, by the run that has them. A run that has ended pauses nothing. */
export const pausesIn = (run: Run | undefined): readonly Pause[] => memoOfOpen(run).pauses ?? [];

/** The past changes, the newest first. */
export const changesIn = (run: Run | undefined): readonly PastChange[] => memoOfOpen(run).changes ?? [];

const covers =
  ({ upstream, instance }: Destination) =>
  (one: Destination): boolean =>
    one.upstream === upstream && (one.instance === instance || one.instance === '');

/** The pause of this destination, or of its whole upstream. */
export const pauseOf = (pauses: readonly Pause[], destination: Destination): Pause | undefined => pauses.find(covers(destination));

/** True if this destination is among them, or its whole upstream is. */
export const isStoppedAt = (stopped: readonly Destination[], destination: Destination): boolean => stopped.some(covers(destination));

export const pausedWords = ({ by }: Pick<Pause, 'by'>): string => `is paused${by ? ` by ${by}` : ''}`;
