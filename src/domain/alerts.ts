/**
 * What an operator is told without looking: leads that wait for a person, an upstream that is held, leads that are open for too long.
 * One alert for each subject, said when it opens and when it is mended; what is the same trouble is the same subject.
 */
import type { UpstreamName } from './hold';
import type { Rules } from './lead';

export const alertKinds = ['parked', 'held', 'overdue'] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Something that is not well, as it was seen at one moment. */
export interface Trouble {
  readonly kind: AlertKind;
  readonly upstream?: UpstreamName;
  /** Of what is held: an account and instance, an environment, a variant. */
  readonly instance?: string;
  /** Leads; of what is held together: the instances. */
  readonly count: number;
  /** Some of the leads. */
  readonly leadIds: readonly string[];
  /** In words, and never an upstream's own. */
  readonly reason: string;
}

export interface Alert extends Trouble {
  readonly alertId: string;
  readonly openedAt: string;
  readonly closedAt?: string;
  /** The place in the console where to look. */
  readonly link: string;
}

export interface OpenAlert extends Alert {
  /** Since then all is well; it is closed when that has lasted. */
  readonly clearSince?: number;
}

/** So many lead ids are named. */
export const mostLeadIds = 10;
/** More instances than this are held in one alert together: when everything is down, that is one message and not a hundred. */
const mostHeld = 10;

export const subjectOf = ({ kind, upstream, instance }: Pick<Trouble, 'kind' | 'upstream' | 'instance'>): string =>
  [kind, upstream ?? '', instance ?? ''].join(':');

const together: Pick<Trouble, 'kind' | 'upstream' | 'instance'> = { kind: 'held' };

/** What has its own alert keeps it. Of the others the first ones get one; once some are told together, all that come are. */
export function bounded(troubles: readonly Trouble[], known: readonly string[]): Trouble[] {
  const held = troubles.filter(({ kind }) => kind === 'held');
  const own = held.filter((trouble) => known.includes(subjectOf(trouble)));
  const others = held.filter((trouble) => !own.includes(trouble));
  const room = known.includes(subjectOf(together)) ? 0 : Math.max(0, mostHeld - own.length);
  const { length: count } = others.slice(room);
  return [
    ...troubles.filter(({ kind }) => kind !== 'held'),
    ...own,
    ...others.slice(0, room),
    ...(count > 0 ? [{ ...together, count, leadIds: [], reason: 'So many more upstreams or instances are held, too' }] : []),
  ];
}

const pages: Readonly<Record<AlertKind, string>> = { parked: '#/leads?state=parked', held: '#/upstreams', overdue: '#/leads' };

export interface Turned {
  readonly open: readonly OpenAlert[];
  readonly opened: readonly Alert[];
  readonly closed: readonly Alert[];
}

export interface Look {
  readonly troubles: readonly Trouble[];
  readonly nowMs: number;
  readonly clearMs: number;
  readonly consoleUrl: string;
}

/** From what was open and what is seen now to what is open now, and what there is to say. */
export function turned(open: readonly OpenAlert[], { troubles, nowMs, clearMs, consoleUrl }: Look, newId: () => string): Turned {
  const at = new Date(nowMs).toISOString();
  const seen = new Map(troubles.map((trouble) => [subjectOf(trouble), trouble]));
  const known = new Set(open.map(subjectOf));
  const opened = troubles
    .filter((trouble) => !known.has(subjectOf(trouble)))
    .map((trouble) => ({ ...trouble, alertId: newId(), openedAt: at, link: `${consoleUrl}${pages[trouble.kind]}` }));
  const followed = open.map(({ clearSince, ...alert }): OpenAlert =>
    seen.has(subjectOf(alert)) ? alert : { ...alert, clearSince: clearSince ?? nowMs },
  );
  const isOver = ({ clearSince }: OpenAlert) => clearSince !== undefined && nowMs - clearSince >= clearMs;
  const closed = followed.filter(isOver).map((alert) => ({ ...alert, clearSince: undefined, closedAt: at }));
  return { open: [...followed.filter((alert) => !isOver(alert)), ...opened], opened, closed };
}

const leads = (count: number) => `${count} ${count === 1 ? 'lead' : 'leads'}`;
const place = ({ upstream, instance }: Trouble) => [upstream, instance].filter(Boolean).join(' ');

const summaries: Readonly<Record<AlertKind, (alert: Alert) => string>> = {
  parked: (alert) => `${leads(alert.count)} parked at ${place(alert)}`,
  held: (alert) => `${place(alert) || `${alert.count} more upstreams`} held`,
  overdue: (alert) => `${leads(alert.count)} open for too long`,
};

export const summaryOf = (alert: Alert): string => `${alert.closedAt ? 'Mended: ' : ''}${summaries[alert.kind](alert)}`;

const mended: Readonly<Record<AlertKind, string>> = {
  parked: 'None of them waits for a person any more',
  held: 'It answers again, or no lead waits for it any more',
  overdue: 'None is open for too long any more',
};

/** Why it is said now: what there was to do about it is over when it is closed. */
export const reasonOf = ({ kind, reason, closedAt }: Alert): string => (closedAt ? mended[kind] : reason);

/** What a watch found, and under which rules it looked: settings are read anew with each look, so a run follows them. */
export interface Watched {
  readonly troubles: readonly Trouble[];
  readonly rules: AlertRules;
}

export interface AlertRules {
  readonly clearMs: number;
  readonly consoleUrl: string;
  readonly webhook: boolean;
  readonly card?: { readonly projectId: string; readonly todoListId: string };
  /** For what is asked of the task board. */
  readonly call: Rules;
  /** The key that writes now, as runs are marked with it. */
  readonly keyFingerprint: string;
}

/** Something to be said, and how often it was tried. */
export interface Said {
  readonly channel: 'webhook' | 'card';
  readonly what: 'opened' | 'closed';
  readonly alert: Alert;
  readonly tries: number;
  readonly dueAt: number;
  readonly giveUpAt: number;
  /** The card may be there already: it is looked for, and never made a second time. */
  readonly unknown?: true;
}

/** What the run knows, and hands on to the next before its history grows too long. */
export interface AlertState {
  readonly open: readonly OpenAlert[];
  /** The subjects that were in trouble when it was last looked. */
  readonly seen: readonly string[];
  readonly saying: readonly Said[];
  /** Alert → its card. */
  readonly cards: Readonly<Record<string, string>>;
  readonly rules?: AlertRules;
}

/** What goes to the webhook. The id stays the same however often it is sent. */
export interface WebhookMessage {
  readonly id: string;
  readonly type: 'leadgate.alert.opened' | 'leadgate.alert.closed';
  readonly summary: string;
  readonly alert: Alert;
}
