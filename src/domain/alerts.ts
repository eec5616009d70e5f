/**
 * Decides which alerts open and close, and writes their texts. Alerts are for operators: leads that wait for a person, an upstream that is
 * held, leads that are open for too long, runs that are stuck, a copy that is too old, a disk that fills up, wrong gateway keys. Each
 * subject has one alert, sent once when it opens and once when it closes.
 */
import type { UpstreamName } from './upstreams';

export type AlertKind = 'parked' | 'held' | 'overdue' | 'stuck' | 'reconciliation' | 'backup' | 'disk' | 'keys' | 'test';

/** A problem at one point in time. */
export interface Trouble {
  readonly kind: AlertKind;
  readonly upstream?: UpstreamName;
  /** For a hold: an account and instance, an environment, or a variant. */
  readonly instance?: string;
  /** The number of leads; of stuck runs, the number of runs; of holds that share an alert, the number of instances. */
  readonly count: number;
  /** Up to `mostLeadIds` of the leads. */
  readonly leadIds: readonly string[];
  /** The gateway's own words, never an upstream's. */
  readonly reason: string;
}

export interface Alert extends Trouble {
  readonly alertId: string;
  readonly openedAt: string;
  readonly closedAt?: string;
  /** The console page to look at. */
  readonly link: string;
}

export interface OpenAlert extends Alert {
  /** When the trouble ended, in ms. The alert closes after it has stayed away for a while. */
  readonly clearSince?: number;
}

/** The most lead ids that an alert names. */
export const mostLeadIds = 10;
/** The most holds with alerts of their own. The others share one alert, so a large outage does not send hundreds of messages. */
const mostHeld = 10;

export const subjectOf = ({ kind, upstream, instance }: Pick<Trouble, 'kind' | 'upstream' | 'instance'>): string =>
  [kind, upstream ?? '', instance ?? ''].join(':');

const restOfHolds: Pick<Trouble, 'kind' | 'upstream' | 'instance'> = { kind: 'held' };

/**
 * Limits the alerts about holds. A hold that has an alert keeps it, and new holds get their own up to the limit; the others share one
 * alert. While that is open, every new hold joins it.
 */
export function limitHoldAlerts(troubles: readonly Trouble[], known: readonly string[]): Trouble[] {
  const held = troubles.filter(({ kind }) => kind === 'held');
  const own = held.filter((trouble) => known.includes(subjectOf(trouble)));
  const others = held.filter((trouble) => !own.includes(trouble));
  const room = known.includes(subjectOf(restOfHolds)) ? 0 : Math.max(0, mostHeld - own.length);
  const { length: count } = others.slice(room);
  return [
    ...troubles.filter(({ kind }) => kind !== 'held'),
    ...own,
    ...others.slice(0, room),
    ...(count > 0 ? [{ ...restOfHolds, count, leadIds: [], reason: 'Further upstreams or instances are held' }] : []),
  ];
}

const countOf = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
const placeOf = ({ upstream, instance }: Trouble) => [upstream, instance].filter(Boolean).join(' ');

interface Wording {
  /** The console page to look at. */
  readonly page: string;
  readonly summary: (alert: Alert) => string;
  /** Why the alert closed. */
  readonly over: string;
}

const wordings: Readonly<Record<AlertKind, Wording>> = {
  parked: {
    page: '#/leads?state=parked',
    summary: (alert) => `${countOf(alert.count, 'lead')} parked at ${placeOf(alert)}`,
    over: 'No lead waits for a person any more',
  },
  held: {
    page: '#/upstreams',
    summary: (alert) => (placeOf(alert) ? `${placeOf(alert)} fails and is held` : `${alert.count} more upstreams fail and are held`),
    over: 'It answers again, no lead waits for it any more, or a person has paused it',
  },
  overdue: {
    page: '#/leads',
    summary: ({ count }) => `${countOf(count, 'lead')} open for too long`,
    over: 'No lead is open for too long any more',
  },
  stuck: {
    page: '#/leads',
    summary: ({ count }) => `${countOf(count, 'run')} stuck`,
    over: 'The workflow tasks of every run succeed again',
  },
  reconciliation: {
    page: '#/reconciliations',
    summary: ({ count }) => `${countOf(count, 'lead')} missing in the site system, or there twice`,
    over: 'The last scheduled reconciliation found none',
  },
  backup: { page: '', summary: () => 'The newest backup is too old', over: 'A new backup was made' },
  disk: { page: '', summary: () => 'The disk of the data directory is filling up', over: 'There is room again' },
  keys: {
    page: '#/audit?action=wrong+keys',
    summary: () => 'Somebody is trying wrong gateway keys',
    over: 'No wrong key was tried for ten minutes',
  },
  test: { page: '', summary: () => 'A test of the alerts', over: 'The test is over' },
};

/** The subject of the alert: the same when it opens and when it closes. */
export const topicOf = (alert: Alert): string => wordings[alert.kind].summary(alert);

export const summaryOf = (alert: Alert): string => `${alert.closedAt ? 'Resolved: ' : ''}${topicOf(alert)}`;

/** The reason to send: the problem, or why the alert closed. */
export const reasonOf = ({ kind, reason, closedAt }: Alert): string => (closedAt ? wordings[kind].over : reason);

const linkOf = ({ kind }: Pick<Trouble, 'kind'>, consoleUrl: string): string => `${consoleUrl}${wordings[kind].page}`;

/** The API signals this problem; no check finds it. */
export const wrongKeysTrouble: Trouble = {
  ...{ kind: 'keys', count: 0, leadIds: [] },
  reason: 'Somebody is trying wrong gateway keys: the audit trail lists each address under "wrong keys"',
};
export const wrongKeysMs = 600_000;

/** An alert that an operator sends to test whether alerts arrive. */
export const createTestAlert = ({ consoleUrl }: Pick<AlertRules, 'consoleUrl'>, alertId: string, nowMs: number): Alert => ({
  ...{ alertId, kind: 'test', count: 0, leadIds: [], reason: 'An operator tests whether alerts arrive: nothing is wrong' },
  openedAt: new Date(nowMs).toISOString(),
  link: linkOf({ kind: 'test' }, consoleUrl),
});

/** The result of a test alert on each channel. */
export interface AlertTest {
  readonly alertId: string;
  readonly channels: readonly ChannelTest[];
}

export interface ChannelTest {
  readonly channel: Channel;
  readonly arrived: boolean;
  /** Why it did not arrive. */
  readonly reason?: string;
}

export interface AlertChanges {
  readonly open: readonly OpenAlert[];
  readonly opened: readonly Alert[];
  readonly closed: readonly Alert[];
}

export interface AlertInput {
  readonly troubles: readonly Trouble[];
  readonly nowMs: number;
  readonly clearMs: number;
  readonly consoleUrl: string;
}

/** Compares the open alerts with the current problems. Returns the alerts that are open now, and those to send as opened or closed. */
export function updateAlerts(
  open: readonly OpenAlert[],
  { troubles, nowMs, clearMs, consoleUrl }: AlertInput,
  newId: () => string,
): AlertChanges {
  const at = new Date(nowMs).toISOString();
  const seen = new Map(troubles.map((trouble) => [subjectOf(trouble), trouble]));
  const known = new Set(open.map(subjectOf));
  const opened = troubles
    .filter((trouble) => !known.has(subjectOf(trouble)))
    .map((trouble) => ({ ...trouble, alertId: newId(), openedAt: at, link: linkOf(trouble, consoleUrl) }));
  const followed = open.map(({ clearSince, ...alert }): OpenAlert =>
    seen.has(subjectOf(alert)) ? alert : { ...alert, clearSince: clearSince ?? nowMs },
  );
  const isOver = ({ clearSince }: OpenAlert) => clearSince !== undefined && nowMs - clearSince >= clearMs;
  const closed = followed.filter(isOver).map((alert) => ({ ...alert, clearSince: undefined, closedAt: at }));
  return { open: [...followed.filter((alert) => !isOver(alert)), ...opened], opened, closed };
}

/** The result of a check, and the settings that it used. Each check reads the current settings. */
export interface HealthCheck {
  readonly troubles: readonly Trouble[];
  readonly rules: AlertRules;
}

export const channels = ['webhook', 'slack', 'email', 'card'] as const;
export type Channel = (typeof channels)[number];

export interface AlertRules {
  readonly clearMs: number;
  readonly consoleUrl: string;
  /** The channels that alerts are sent to. */
  readonly channels: readonly Channel[];
  /** The fingerprint of the current encryption key, for the search attribute of the runs. */
  readonly keyFingerprint: string;
}

/** The workflow id of the alerting: one run for all workers of a task queue. */
export const alertsIdOf = (taskQueue: string): string => `alerts:${taskQueue}`;

/** The workflow id of the run that sends one alert. */
export const alertIdOf = ({ alertId }: Pick<Alert, 'alertId'>): string => `alert:${alertId}`;

/** The state that the alerting run passes on when it continues as new. */
export interface AlertState {
  readonly open: readonly OpenAlert[];
  readonly last?: HealthCheck;
  /** Until when the problem of wrong keys lasts, in ms. */
  readonly keysTriedUntil: number;
}
