/**
 * Compares leads with the export of an upstream that cannot be asked. It proposes a decision only if the export proves it: a wrong resend
 * would send a lead twice, and a wrong confirm would lose one.
 */
import type { FindingName, Proposal } from '../../src/domain/reconcile';
import type { DateSpan } from './export-dates';
import {
  arrivesWithinMs,
  findPeople,
  hasSimilarName,
  isOpen,
  isSamePerson,
  isSurelyBefore,
  isSurelyNotBefore,
  isSurelySamePerson,
  mayHaveMade,
  newestFirst,
  readLead,
  sharesEmail,
  sharesLocalPhone,
  type OurLead,
  type People,
  type ReadLead,
} from './export-leads';
import type { ExportRow, ReadExport } from './export-rows';

/** A finding about a lead, or about a row that no lead accounts for. It has no personal data. */
export interface Compared {
  readonly leadId?: string;
  /** The line of the export. */
  readonly line?: number;
  readonly flow?: string;
  readonly state?: string;
  readonly finding: FindingName;
  readonly why?: string;
  readonly upstreamId?: string;
  readonly proposal?: Proposal;
}

export interface ComparedSpan {
  readonly since: string;
  readonly until: string;
}

/** Gives each delivered lead a row of its own: the newest leads first, because the fewest rows are as new as they are. */
function pairDelivered(leads: readonly ReadLead[], { rowsOf }: People): ReadonlyMap<ReadLead, ExportRow> {
  const pairs = new Map<ReadLead, ExportRow>();
  const taken = new Set<ExportRow>();
  for (const lead of leads.filter(({ sending }) => sending === 'sent').toSorted(newestFirst)) {
    const free = rowsOf(lead).filter((row) => !taken.has(row) && !isSurelyBefore(row, lead));
    const row = free.find((one) => isSurelySamePerson(lead, one)) ?? free[0];
    if (!row) continue;
    pairs.set(lead, row);
    taken.add(row);
  }
  return pairs;
}

/** The rows that no delivered lead accounts for, for each lead whose outcome is unknown. */
function findClaims(
  leads: readonly ReadLead[],
  { rowsOf }: People,
  taken: ReadonlySet<ExportRow>,
): ReadonlyMap<ReadLead, readonly ExportRow[]> {
  const unknown = leads.filter(({ sending }) => sending === 'unknown');
  return new Map(unknown.map((lead) => [lead, rowsOf(lead).filter((row) => !taken.has(row) && !isSurelyBefore(row, lead))]));
}

const whyNoDates = 'the export has no column of dates';
const whyNotLater = `the export may be older than the lead: no row proves to be more than ${arrivesWithinMs / 60_000} minutes later`;
const whyUndated = 'the row has no date that can be read';
const whyImprecise = 'the date of the row does not prove that it is not older than the lead';
const whyOlderRow = 'the row of this person is older than the lead: the upstream may have changed it instead of adding one';
const whyElsewhere = 'the export has no older lead of the same site and study, so it may be of another place or time';
const whyAbsent = 'the export has no row of this person, and has rows from before and after the lead';
const whyAccounted = 'another lead accounts for the row of this person: the upstream may keep one row for a person';
const whyRival = 'another lead of this person may have made the row, too';
const whyOnlyEmail = 'only the e-mail agrees, which several persons may share';

const whyNotEnded = {
  'held-back': 'nothing was sent: a person must decide whether the lead is a repeat',
  stopped: 'the last try sent nothing: a person must decide',
  open: 'the lead has not ended',
} as const;

const whereIs = ({ line, id }: ExportRow) => ({ line, ...(id && { upstreamId: id }) });

/** Its lines, for `why`. */
const linesOf = (rows: readonly ExportRow[]): string =>
  rows
    .map(({ line }) => line)
    .toSorted((one, other) => one - other)
    .join(', ');

type Said = Omit<Compared, 'leadId' | 'flow' | 'state'>;

const notComparable = (why: string, row?: ExportRow): Said => ({ finding: 'not-comparable', why, ...(row && whereIs(row)) });

const twice = (row: ExportRow, all: readonly ExportRow[], lead: ReadLead): Said => {
  const why = `the upstream has ${all.length} rows for this one lead: lines ${linesOf(all)}`;
  return { finding: 'twice', why: all.every((one) => isSurelyNotBefore(one, lead)) ? why : `${why}; ${whyImprecise}`, ...whereIs(row) };
};

/**
 * Compares every lead that was accepted in the span, and every row of it. Other leads only account for rows: without those that were
 * accepted before the span and sent in it, their rows would be unknown.
 */
export const compareExport = (leads: readonly OurLead[], read: ReadExport, { since, until }: ComparedSpan): readonly Compared[] =>
  compare(leads.map(readLead), read, { from: Date.parse(since), until: Date.parse(until) });

function compare(leads: readonly ReadLead[], read: ReadExport, span: DateSpan): readonly Compared[] {
  const { rows } = read;
  const people = findPeople(leads, rows);
  const pairs = pairDelivered(leads, people);
  const taken = new Set(pairs.values());
  const claims = findClaims(leads, people, taken);
  const claimed = new Set([...claims.values()].flat());
  const isFree = (row: ExportRow) => !taken.has(row) && !claimed.has(row);
  const rest = rows.filter(isFree);
  const owners = findOwners(rest, people);
  const ownedBy = (lead: ReadLead) => people.rowsOf(lead).filter((row) => owners.get(row) === lead && mayBeIn(span, row));
  const doublesOf = (lead: ReadLead) => ownedBy(lead).filter(({ date }) => date);
  const isOlder = mayBeOlder(rows, span);
  const isElsewhere = mayBeElsewhere(pairs);
  const whyWithoutDate = read.hasDates ? whyUndated : whyNoDates;
  const whyMayBeOlder = `${whyWithoutDate}, so the row may be older than the lead`;

  function saidOf(lead: ReadLead): Said | undefined {
    const { sending } = lead;
    if (sending === 'not-sent') return undefined;
    if (sending === 'sent') return saidOfDelivered(lead);
    if (sending === 'unknown') return saidOfUnknown(lead, claims.get(lead) ?? []);
    return notComparable(whyNotEnded[sending], ownedBy(lead)[0]);
  }

  function saidOfDelivered(lead: ReadLead): Said {
    const row = pairs.get(lead);
    if (!row) return saidOfAbsent(lead);
    const doubles = doublesOf(lead);
    if (doubles[0]) return twice(doubles[0], [row, ...doubles], lead);
    return { finding: 'matched', ...whereIs(row), ...(!row.date && { why: whyMayBeOlder }) };
  }

  function saidOfUnknown(lead: ReadLead, found: readonly ExportRow[]): Said {
    const [row, ...others] = found;
    if (!row) return saidOfAbsent(lead);
    const isRival = (one: ExportRow) => (other: ReadLead) => other !== lead && mayHaveMade(other, one);
    if (found.some((one) => people.leadsOf(one).some(isRival(one)))) return notComparable(whyRival, row);
    const undated = found.find(({ date }) => !date);
    if (undated) return notComparable(whyWithoutDate, undated);
    const imprecise = found.find((one) => !isSurelyNotBefore(one, lead));
    if (imprecise) return notComparable(whyImprecise, imprecise);
    if (others.length > 0) return twice(row, found, lead);
    if (!isSurelySamePerson(lead, row)) return notComparable(whyOnlyEmail, row);
    if (!row.id) return { finding: 'matched', why: 'the row has no id to confirm the lead with', ...whereIs(row) };
    return { finding: 'matched', proposal: 'confirm', ...whereIs(row) };
  }

  function saidOfAbsent(lead: ReadLead): Said {
    const isComparable = (read.hasEmails && lead.emails.length > 0) || (read.hasPhones && lead.phones.length > 0);
    if (!isComparable) return notComparable('the lead and the export have no e-mail and no phone in common that could be compared');
    const same = people.rowsOf(lead).at(-1);
    if (same) return notComparable(isSurelyBefore(same, lead) ? whyOlderRow : whyAccounted, same);
    const doubt = people.doubtsOf(lead).find(({ row }) => isFree(row) && !owners.has(row));
    if (doubt) return notComparable(doubt.why, doubt.row);
    if (isOlder(lead)) return notComparable(read.hasDates ? whyNotLater : `${whyNoDates}, so it may be older than the lead`);
    if (isElsewhere(lead)) return notComparable(whyElsewhere);
    if (lead.sending === 'sent') return { finding: 'missing', why: whyAbsent };
    const obstacle = obstacleTo(lead, leads, rows);
    return obstacle === undefined ? { finding: 'missing', why: whyAbsent, proposal: 'resend' } : { finding: 'missing', why: obstacle };
  }

  function saidOfRow(row: ExportRow): Said | undefined {
    if (!mayBeIn(span, row)) return undefined;
    if (row.emails.length + row.phones.length === 0) return notComparable('the row has no e-mail and no phone that can be read', row);
    if (!row.date) return notComparable(`${whyWithoutDate}, so the row may be from another time`, row);
    if (row.date.from < span.from) return notComparable('the date of the row does not prove that it is of the compared time', row);
    return { finding: 'unknown-here', why: 'no lead accounts for the row', ...whereIs(row) };
  }

  function ofOwnedRow(row: ExportRow, owner: ReadLead): readonly Compared[] {
    if (!mayBeIn(span, row) || !['sent', 'not-sent'].includes(owner.sending)) return [];
    if (!row.date) return [of(owner, notComparable(whyMayBeOlder, row))];
    if (owner.sending === 'sent') return [];
    const why = `the lead is ${owner.lead.state}, and the upstream has a row of this person`;
    return [of(owner, { finding: 'unknown-here', why, ...whereIs(row) })];
  }

  const isCompared = (lead: ReadLead) =>
    (lead.createdAt >= span.from && lead.createdAt <= span.until) ||
    (lead.sending === 'sent' ? doublesOf(lead) : [...ownedBy(lead), ...(claims.get(lead) ?? [])]).length > 0;
  const ofLeads = leads.filter(isCompared).flatMap((lead) => {
    const said = saidOf(lead);
    return said ? [of(lead, said)] : [];
  });
  const shown = new Set(ofLeads.map(({ line }) => line));
  const ofRows = rest.flatMap((row): readonly Compared[] => {
    const owner = owners.get(row);
    if (owner) return ofOwnedRow(row, owner);
    const said = shown.has(row.line) ? undefined : saidOfRow(row);
    return said ? [said] : [];
  });
  return [...ofLeads, ...ofRows];
}

const of = ({ lead: { leadId, flow, state } }: ReadLead, said: Said): Compared => ({ leadId, flow, state, ...said });

const mayBeIn = (span: DateSpan, { date }: ExportRow): boolean => !date || (date.until >= span.from && date.from <= span.until);

/** The newest lead of each row's person that may have made it. A lead that was held back made none. */
function findOwners(rest: readonly ExportRow[], { leadsOf }: People): ReadonlyMap<ExportRow, ReadLead> {
  return new Map(
    rest.flatMap((row) => {
      const owner = leadsOf(row).find((lead) => lead.sending !== 'held-back' && !isSurelyBefore(row, lead));
      return owner ? [[row, owner] as const] : [];
    }),
  );
}

const placeOf = ({ lead: { flow, site = '', studyId = '' } }: ReadLead): string => [flow, site, studyId].join('\0');

/** The export may lack a lead that arrived, because it was made before. It was not if it has a row of later. */
function mayBeOlder(rows: readonly ExportRow[], span: DateSpan): (lead: ReadLead) => boolean {
  // A date after the compared time is not when a row was made.
  const newest = rows.reduce((latest, { date }) => (date && date.until <= span.until ? Math.max(latest, date.from) : latest), -Infinity);
  return ({ updatedAt }) => !(newest > updatedAt + arrivesWithinMs);
}

/** The export may lack a lead that arrived, because it is of another place or begins later. It has both if it has an older lead of the place. */
function mayBeElsewhere(pairs: ReadonlyMap<ReadLead, ExportRow>): (lead: ReadLead) => boolean {
  const witnesses = new Map<string, number>();
  for (const [lead, { date }] of pairs) {
    const key = placeOf(lead);
    if (date) witnesses.set(key, Math.min(lead.createdAt, witnesses.get(key) ?? Infinity));
  }
  return (lead) => !((witnesses.get(placeOf(lead)) ?? Infinity) <= lead.createdAt);
}

/** Why a resend could send the person twice. */
function obstacleTo(lead: ReadLead, leads: readonly ReadLead[], rows: readonly ExportRow[]): string | undefined {
  const isAlsoOpen = (other: ReadLead) => other !== lead && isOpen(other) && (isSamePerson(other, lead) || sharesEmail(other, lead));
  if (leads.some(isAlsoOpen)) return 'another lead of this person has not ended';
  if (rows.some((row) => sharesEmail(lead, row) || sharesLocalPhone(lead, row)))
    return 'a row has the e-mail of the lead, or a part of its phone';
  const late = rows.filter((row) => !isSurelyBefore(row, lead));
  if (late.some((row) => hasSimilarName(lead, row))) return 'a row of that time has the name of the lead';
  const isReadable = (row: ExportRow) =>
    (lead.emails.length > 0 && row.emails.length > 0) || (lead.phones.length > 0 && row.phones.length > 0);
  return late.every(isReadable) ? undefined : 'a row of that time has no e-mail or phone to compare with the lead';
}
