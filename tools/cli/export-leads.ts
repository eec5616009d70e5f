/**
 * Reads Leadgate's own leads for the comparison with an export, and finds who is who: which leads and rows are one person, and which row may
 * come from which lead.
 */
import { overStates } from '../../src/domain/lead';
import type { DateSpan } from './export-dates';
import { emailsIn, isSameName, isSimilarName, localPhone, namesIn, phonesIn, recordsIn, type ExportRow, type Person } from './export-rows';

/** A lead as `GET /api/leads.csv` gives it with `clear=true`. */
export interface OurLead {
  readonly leadId: string;
  readonly state: string;
  readonly flow: string;
  readonly step?: string;
  readonly code?: string;
  readonly site?: string;
  readonly studyId?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly email: string;
  readonly phone: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Reads the CSV of `GET /api/leads.csv`. */
export async function readOurLeads(csv: Uint8Array | string): Promise<readonly OurLead[]> {
  const records = await recordsIn(csv);
  return records.map((record) => {
    const {
      leadId = '',
      state = '',
      flow = '',
      createdAt = '',
      updatedAt = '',
      email = '',
      phone = '',
      firstName = '',
      lastName = '',
    } = record;
    const { step, code, site, studyId } = record;
    return { leadId, state, flow, step, code, site, studyId, createdAt, updatedAt, email, phone, firstName, lastName };
  });
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How far the clocks of an upstream and of Leadgate may differ. */
const clocksDifferMs = minuteMs;
/** How long after its last try a lead may still arrive. */
export const arrivesWithinMs = 5 * minuteMs;

/** What the lead's state says of the upstream. */
type Sending =
  | 'sent'
  /** It may have been sent, and a person must decide. */
  | 'unknown'
  /** Nothing was sent. */
  | 'not-sent'
  /** Nothing was sent, because the lead may be the repeat of another one. */
  | 'held-back'
  /** The last try sent nothing; an earlier one may have. */
  | 'stopped'
  | 'open';

function sendingOf({ state, code }: OurLead): Sending {
  if (state === 'delivered') return 'sent';
  if (overStates.some((over) => over === state)) return 'not-sent';
  if (state !== 'parked') return 'open';
  if (code === 'OUTCOME_UNKNOWN') return 'unknown';
  return code === 'POSSIBLE_REPEAT' ? 'held-back' : 'stopped';
}

export const isOpen = ({ sending }: Pick<ReadLead, 'sending'>): boolean => ['unknown', 'stopped', 'open'].includes(sending);

/** A failed lead was refused or never sent, unless its run was ended from outside. Of a discarded one nobody knows. */
const mayHaveArrived = ({ lead, sending }: ReadLead): boolean =>
  isOpen({ sending }) ||
  lead.state === 'discarded' ||
  (lead.state === 'failed' && ['RUN_ENDED', 'OUTCOME_UNKNOWN'].includes(lead.code ?? ''));

export interface ReadLead extends Person {
  readonly lead: OurLead;
  readonly sending: Sending;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const readLead = (lead: OurLead): ReadLead => ({
  lead,
  sending: sendingOf(lead),
  createdAt: Date.parse(lead.createdAt),
  updatedAt: Date.parse(lead.updatedAt),
  emails: emailsIn(lead.email),
  phones: phonesIn(lead.phone),
  names: namesIn(lead.firstName, lead.lastName),
});

const some = <T>(ones: readonly T[], others: readonly T[], agree: (one: T, other: T) => boolean): boolean =>
  ones.some((one) => others.some((other) => agree(one, other)));
const isEqual = (one: string, other: string) => one === other;
const isSameLocalPhone = (one: string, other: string) => localPhone(one) === localPhone(other);

export const sharesEmail = (one: Person, other: Person) => some(one.emails, other.emails, isEqual);
/** The phones agree, but for the area or the country. */
export const sharesLocalPhone = (one: Person, other: Person) => some(one.phones, other.phones, isSameLocalPhone);
const sharesPhone = (one: Person, other: Person) => some(one.phones, other.phones, isEqual);
const hasSameName = (one: Person, other: Person) => some(one.names, other.names, isSameName);
export const hasSimilarName = (one: Person, other: Person) => some(one.names, other.names, isSimilarName);
const hasOtherName = (one: Person, other: Person) => one.names.length > 0 && other.names.length > 0 && !hasSimilarName(one, other);

/** A family may share an e-mail or a phone, so another name makes another person. */
export const isSamePerson = (one: Person, other: Person): boolean =>
  (sharesEmail(one, other) && !hasOtherName(one, other)) || (sharesPhone(one, other) && hasSameName(one, other));

/** A second sign besides the e-mail. */
export const isSurelySamePerson = (one: Person, other: Person): boolean =>
  isSamePerson(one, other) && (hasSimilarName(one, other) || sharesPhone(one, other));

/** Why the row may be this lead, if that cannot be decided. */
function doubtAbout(lead: ReadLead, row: ExportRow): string | undefined {
  if (isSurelyBefore(row, lead)) return undefined;
  if (sharesEmail(lead, row)) return 'a row has the e-mail of the lead and another name';
  const otherEmail = lead.emails.length > 0 && row.emails.length > 0;
  const isNear = sharesLocalPhone(lead, row);
  if (isNear && !(otherEmail && hasOtherName(lead, row))) return 'of a row only the phone agrees, or a part of it';
  if (hasSameName(lead, row) && isNearIn(row.date, lead)) return 'of a row only the name and the date agree';
  return undefined;
}

/** The row was made before the lead, and so by something else. */
export const isSurelyBefore = ({ date }: ExportRow, { createdAt }: ReadLead): boolean =>
  date !== undefined && date.until < createdAt - clocksDifferMs;
export const isSurelyNotBefore = ({ date }: ExportRow, { createdAt }: ReadLead): boolean =>
  date !== undefined && date.from >= createdAt - clocksDifferMs;

const isNearIn = (date: DateSpan | undefined, { createdAt, updatedAt }: ReadLead): boolean =>
  date === undefined || (date.until >= createdAt - clocksDifferMs && date.from <= updatedAt + dayMs);

/** The row may come from this lead, besides the one that the lead has. */
export const mayHaveMade = (lead: ReadLead, row: ExportRow): boolean =>
  !isSurelyBefore(row, lead) &&
  (mayHaveArrived(lead) || (lead.sending === 'sent' && !(row.date && row.date.from > lead.updatedAt + clocksDifferMs)));

const compareBy =
  <T>(...keys: readonly ((item: T) => number)[]) =>
  (one: T, other: T): number =>
    keys.map((key) => key(one) - key(other)).find((difference) => difference !== 0 && !Number.isNaN(difference)) ?? 0;

const oldestFirst = compareBy<ExportRow>(
  ({ date }) => date?.from ?? Number.MAX_VALUE,
  ({ line }) => line,
);
export const newestFirst = compareBy<ReadLead>(({ createdAt }) => -createdAt);

/** All under which a person may be found: two persons without a common key have nothing in common. */
const keysOf = ({ emails, phones, names }: Person): readonly string[] => [
  ...emails.map((email) => `email ${email}`),
  ...phones.map((phone) => `phone ${localPhone(phone)}`),
  ...names.flatMap(({ words, joined }) => [`name ${words.join(' ')}`, `name ${joined}`]),
];

function createFinder<T extends Person>(items: readonly T[]): (person: Person) => readonly T[] {
  const under = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const found = under.get(key);
      if (found) found.push(item);
      else under.set(key, [item]);
    }
  }
  return (person) => [...new Set(keysOf(person).flatMap((key) => under.get(key) ?? []))];
}

/** Leads and rows that are one person, from either side. */
export interface People {
  /** The rows of the lead's person, the oldest first. */
  readonly rowsOf: (lead: ReadLead) => readonly ExportRow[];
  /** The leads of the row's person, the newest first. */
  readonly leadsOf: (row: ExportRow) => readonly ReadLead[];
  /** The other rows that may be the lead's person. */
  readonly doubtsOf: (lead: ReadLead) => readonly { readonly row: ExportRow; readonly why: string }[];
}

export function findPeople(leads: readonly ReadLead[], rows: readonly ExportRow[]): People {
  const rowsLike = createFinder(rows);
  const leadsLike = createFinder(leads);
  const known = new Map(
    leads.map((lead) => [
      lead,
      rowsLike(lead)
        .filter((row) => isSamePerson(lead, row))
        .toSorted(oldestFirst),
    ]),
  );
  return {
    rowsOf: (lead) => known.get(lead) ?? [],
    leadsOf: (row) =>
      leadsLike(row)
        .filter((lead) => isSamePerson(lead, row))
        .toSorted(newestFirst),
    doubtsOf: (lead) =>
      rowsLike(lead).flatMap((row) => {
        const why = isSamePerson(lead, row) ? undefined : doubtAbout(lead, row);
        return why === undefined ? [] : [{ row, why }];
      }),
  };
}
