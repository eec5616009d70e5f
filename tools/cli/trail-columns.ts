/** The columns of the audit trail's entries, in a copy for an inspector. */
import { z } from 'zod';
import { isAbsent } from '../../src/domain/formats';
import type { Column } from '../copies/write';
import type { TrailEntry } from './trail-pages';

const evidenceShape = z.looseObject({
  reason: z.string().optional(),
  upstreamId: z.union([z.string(), z.number()]).optional(),
  changed: z.record(z.string(), z.object({ before: z.unknown().optional(), after: z.unknown().optional() })).optional(),
  erased: z.literal(true).optional(),
});

/** Why an act was done, and what it changed; the service tells it for some actions. */
const evidenceOf = ({ evidence }: TrailEntry): z.infer<typeof evidenceShape> => evidenceShape.safeParse(evidence).data ?? {};

const textOf = (value: unknown): string => (isAbsent(value) ? '' : typeof value === 'string' ? value : JSON.stringify(value));

export const changeText = (field: string, before: unknown, after: unknown): string =>
  `${field}: ${textOf(before) || '(none)'} → ${textOf(after) || '(none)'}`;

/** More leads than these are only counted: an entry can name hundreds. */
const mostLeads = 3;

function leadsText({ leadId, leadIds }: TrailEntry): string {
  if (!Array.isArray(leadIds)) return leadId ?? '';
  const more = leadIds.length - mostLeads;
  return [...leadIds.slice(0, mostLeads).map(textOf), ...(more > 0 ? [`and ${more} more, in entries.jsonl`] : [])].join('\n');
}

function reasonText(entry: TrailEntry): string {
  const { reason, upstreamId, erased, changed: _, ...others } = evidenceOf(entry);
  if (erased) return '(erased with the person)';
  const facts = Object.entries({ 'upstream id': upstreamId, ...others }).filter(([, value]) => value !== undefined);
  return [textOf(reason), ...facts.map(([name, value]) => `${name}: ${textOf(value)}`)].filter(Boolean).join('\n');
}

const changesText = (entry: TrailEntry): string =>
  Object.entries(evidenceOf(entry).changed ?? {})
    .map(([field, { before, after }]) => changeText(field, before, after))
    .join('\n');

export const actionText = ({ action, dryRun, upstream, instance, route }: TrailEntry): string =>
  [action, dryRun === true && '(dry run)', upstream, instance, route].filter(Boolean).join(' ');

export const trailColumns = {
  when: { title: 'When (UTC)', width: 17, isTime: true, text: ({ at }) => at },
  who: { title: 'Who', width: 9, text: ({ who }) => who },
  from: { title: 'From', width: 9, text: ({ address }) => address ?? '' },
  what: { title: 'What', width: 14, text: actionText },
  lead: { title: 'Lead', width: 16, text: leadsText },
  outcome: { title: 'Outcome', width: 8, text: ({ outcome }) => outcome ?? '' },
  reason: { title: 'Reason', width: 14, text: reasonText },
  changes: { title: 'Before → after', width: 18, text: changesText },
  file: { title: 'Trail file', text: ({ file }) => file },
  seq: { title: 'Line', text: ({ seq }) => String(seq + 1) },
  hash: { title: 'Hash', text: ({ hash }) => hash },
} as const satisfies Readonly<Record<string, Column<TrailEntry>>>;
