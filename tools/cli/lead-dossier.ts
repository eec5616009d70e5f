/** `leadgate lead dossier`: copies all that is known about one lead, in order, for an inspector. */
import { without } from '../../src/domain/formats';
import { hidden, maskedDecision } from '../../src/domain/mask';
import type { Leadgate } from '../client';
import type { GetEventsOutput } from '../client/generated/leads';
import type { Column, Form } from '../copies/write';
import { command } from './command';
import { copyTo, out } from './copy';
import { gatewayOf } from './gateway';
import { clear, leadId } from './lead-options';
import { pluralize } from './print';
import type { AttemptStory, LeadAttempt, LeadDetail } from './report';
import { actionText, changeText, trailColumns } from './trail-columns';
import { trailPages, type TrailEntry } from './trail-pages';

type Decision = AttemptStory['decisions'][number];

/** An entry of a dossier: when something happened, and what the service told about it. */
type Item = { readonly at: string } & (
  | { readonly kind: 'lead'; readonly lead: Omit<LeadDetail, 'steps' | 'attempts'> }
  | { readonly kind: 'attempt'; readonly attempt: LeadAttempt; readonly story: Pick<AttemptStory, 'lead' | 'mended' | 'steps'> }
  | { readonly kind: 'exchange'; readonly attempt: number; readonly exchange: AttemptStory['exchanges'][number] }
  | { readonly kind: 'decision'; readonly attempt: number; readonly decision: Decision }
  | { readonly kind: 'event'; readonly event: GetEventsOutput['events'][number] }
  | { readonly kind: 'trail'; readonly entry: TrailEntry }
);

interface Row {
  readonly what: string;
  readonly who?: string;
  readonly from?: string;
  readonly outcome?: string;
  readonly reason?: string;
  readonly changes?: string;
  readonly content?: object;
}

const ofAttempt = (attempt: number): string => (attempt === 1 ? '' : ` (attempt ${attempt})`);

const outcomeOf = (error: { readonly code: string; readonly message: string } | undefined): string =>
  error ? `${error.code}: ${error.message}` : '';

function rowOf(item: Item): Row {
  switch (item.kind) {
    case 'lead': {
      const { flow, state, result, reference } = item.lead;
      return { what: `lead, ${flow}`, outcome: state, content: { reference, result } };
    }
    case 'attempt': {
      const { attempt, by: who, reason, state, error } = item.attempt;
      const changes = item.story.mended?.map(({ field, before, after }) => changeText(field, before, after)).join('\n');
      const outcome = [state, outcomeOf(error)].filter(Boolean).join('\n');
      return { what: `attempt ${attempt}`, who, reason, outcome, changes, content: { received: item.story.lead, steps: item.story.steps } };
    }
    case 'exchange': {
      const { call, status, error, ...rest } = item.exchange;
      const outcome = [status === undefined ? '' : `HTTP ${status}`, outcomeOf(error)].filter(Boolean).join('\n');
      return { what: `request ${call}${ofAttempt(item.attempt)}`, outcome, content: without(rest, ['step', 'startedAt', 'temporalUrl']) };
    }
    case 'decision': {
      const { verb, by: who, reason, upstreamId } = item.decision;
      const ids = upstreamId === undefined ? '' : `upstream id: ${upstreamId}`;
      return { what: `decision ${verb}${ofAttempt(item.attempt)}`, who, reason: [reason, ids].filter(Boolean).join('\n') };
    }
    case 'event': {
      const { type, id, attempt, deliveries } = item.event;
      const outcome = deliveries.map(({ receiver, state, tries }) => `${receiver}: ${state}, ${pluralize(tries, 'try', 'tries')}`);
      return { what: `event ${type}${ofAttempt(attempt)}`, outcome: outcome.join('\n'), content: { id, deliveries } };
    }
    case 'trail': {
      const { who, from, outcome, reason, changes } = trailColumns;
      const { entry } = item;
      return {
        what: `audit trail: ${actionText(entry)}`,
        who: who.text(entry),
        from: from.text(entry),
        outcome: outcome.text(entry),
        reason: reason.text(entry),
        changes: changes.text(entry),
      };
    }
  }
}

/** One line for each field. */
const contentText = (content: object = {}): string =>
  Object.entries(content)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n');

const columns: readonly Column<Item>[] = [
  { title: 'When (UTC)', width: 17, isTime: true, text: ({ at }) => at },
  { title: 'What', width: 20, text: (item) => rowOf(item).what },
  { title: 'Who', width: 9, text: (item) => rowOf(item).who ?? '' },
  { title: 'From', width: 9, text: (item) => rowOf(item).from ?? '' },
  { title: 'Outcome', width: 20, text: (item) => rowOf(item).outcome ?? '' },
  { title: 'Reason', width: 14, text: (item) => rowOf(item).reason ?? '' },
  { title: 'Before → after', width: 14, text: (item) => rowOf(item).changes ?? '' },
];

const form: Form<Item> = {
  columns,
  contentOf: (item) => contentText(rowOf(item).content),
  trailLineOf: (item) => (item.kind === 'trail' ? item.entry : undefined),
};

export const leadDossier = command({
  name: 'lead dossier',
  group: 'Safety',
  summary: 'Copy all that is known about a lead for an inspector, signed like a copy of the audit trail',
  about: [
    'The lead, its attempts, each request and answer, each decision, the events with their deliveries, and the entries of the audit trail about it.',
    'Personal data and reasons are masked. With --clear they are in clear, which the service records on the trail.',
  ],
  args: [leadId],
  options: { clear, out },
  examples: ['lead dossier bk349nmth4mdkdr919y89-03hac2oic0yh3niwpdexeaa1q --out dossier'],
  async run({ io, args: [id = ''], options, config }) {
    const { clear: isClear = false, out: dir = '' } = options;
    const settings = config();
    const gateway = gatewayOf(settings, io.stopped);
    const items = await itemsOf(gateway, id, isClear);
    const about = { what: 'lead dossier', until: new Date().toISOString(), leadId: id, clear: isClear } as const;
    return copyTo({ io, config: settings, gateway, options }, { dir, form, about, entriesIn: () => items });
  },
});

/** The reads in clear come first, so that their own entries are among those of the trail. */
async function itemsOf(gateway: Leadgate, id: string, isClear: boolean): Promise<Item[]> {
  const { leads } = gateway;
  const { steps: _, attempts, ...lead } = await leads.getLead({ leadId: id, clear: isClear ? undefined : 'false' });
  const told: Item[] = [];
  for (const attempt of attempts) {
    const story = await leads.getExchanges({ leadId: id, attempt: attempt.attempt, clear: isClear ? 'true' : undefined });
    told.push(...itemsOfAttempt(isClear ? attempt : withoutReason(attempt), story, isClear));
  }
  const { events } = await leads.getEvents({ leadId: id });
  for (const event of events) told.push({ kind: 'event', at: event.timestamp, event });
  for await (const page of trailPages(gateway, { leadId: id, clear: isClear }))
    for (const entry of page.toReversed()) told.push({ kind: 'trail', at: entry.at, entry });
  const inOrder = told.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  return [{ kind: 'lead', at: lead.createdAt, lead }, ...inOrder];
}

const withoutReason = <T extends { readonly reason?: string }>(told: T): T =>
  told.reason === undefined ? told : { ...told, reason: hidden };

function itemsOfAttempt(attempt: LeadAttempt, { lead, mended, steps, exchanges, decisions }: AttemptStory, isClear: boolean): Item[] {
  const { attempt: number, startedAt } = attempt;
  return [
    { kind: 'attempt', at: startedAt, attempt, story: { lead, mended, steps } },
    ...exchanges.map((exchange): Item => ({ kind: 'exchange', at: exchange.startedAt ?? startedAt, attempt: number, exchange })),
    ...decisions.map((decision): Item => {
      const shown = isClear ? decision : withoutReason(maskedDecision(decision) as Decision);
      return { kind: 'decision', at: decision.at, attempt: number, decision: shown };
    }),
  ];
}
