/** Reads the export of an upstream that cannot be asked: who is in it, by which id, and since when. Names or a map tell the columns. */
import { digitsOf, InvalidValue } from '../../src/domain/formats';
import { sameEmail, samePhone } from '../../src/domain/found-by';
import { BadCsv, cellValue, csvRows, csvText, type CsvRow } from '../../src/lib/csv';
import { createDateReader, type DateSpan } from './export-dates';

/** What identifies a person, in a form that can be compared. */
export interface Person {
  readonly emails: readonly string[];
  readonly phones: readonly string[];
  readonly names: readonly Name[];
}

export interface ExportRow extends Person {
  /** The line of the file; of rows with the same id, the first. */
  readonly line: number;
  readonly id: string;
  readonly date?: DateSpan;
}

export interface Name {
  readonly words: readonly string[];
  /** The same without spaces: O'Brien is OBrien. */
  readonly joined: string;
}

export interface ReadExport {
  readonly columnNames: readonly string[];
  readonly rows: readonly ExportRow[];
  readonly hasEmails: boolean;
  readonly hasPhones: boolean;
  readonly hasDates: boolean;
}

/** The names of each column without case and punctuation, the surest first. */
const knownNames = {
  id: ['patientid', 'submissionid', 'id', 'recordid', 'subjectid', 'uid', 'uuid'],
  email: ['email', 'emailaddress', 'mail'],
  phone: [
    ...['phone', 'phonenumber', 'phoneno', 'telephone', 'tel', 'cell', 'cellphone', 'mobile', 'mobilephone', 'mobilenumber'],
    ...['homephone', 'workphone'],
  ],
  firstName: ['firstname', 'givenname', 'forename', 'first'],
  lastName: ['lastname', 'surname', 'familyname', 'last'],
  name: ['name', 'fullname'],
  date: [
    ...['createdat', 'submittedat', 'created', 'submitted', 'createdon', 'submittedon', 'createddate', 'datecreated', 'creationdate'],
    ...['submissiondate', 'submitteddate', 'datesubmitted', 'receivedat', 'received', 'registeredat', 'date', 'timestamp', 'datetime'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type ColumnKind = keyof typeof knownNames;
export const columnKinds = Object.keys(knownNames) as readonly ColumnKind[];

/** What columns with names of their own hold. */
export type ColumnMap = ReadonlyMap<string, ColumnKind>;

export interface ExportForm {
  /** The time zone of dates without one. Without it, such a date proves only what holds in every time zone. */
  readonly timeZone?: string;
  readonly map?: ColumnMap;
}

/** `patient_email` is an e-mail, too. */
const owner = /^(?:patient|contact|primary|participant)(?=.)/;
const plainName = (head: string): string =>
  head
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** A person has several phones and e-mails; of the others, one column counts. */
const manyColumns: readonly ColumnKind[] = ['email', 'phone'];

type Columns = Readonly<Record<ColumnKind, readonly number[]>>;

interface Named {
  readonly columns: Columns;
  readonly names: readonly string[];
  readonly map: ColumnMap;
}

function columnsIn({ cells, line }: CsvRow, map: ColumnMap): Columns {
  const names = cells.map((cell) => cell.trim());
  const heads = names.map((name) => (map.has(name) ? '' : plainName(name)));
  const places = (wanted: readonly string[], read: (head: string) => string) =>
    wanted.map((name) => heads.flatMap((head, at) => (read(head) === name ? [at] : [])));
  const columnOf = (kind: ColumnKind): readonly number[] => {
    const mapped = names.flatMap((name, at) => (map.get(name) === kind ? [at] : []));
    const plain = places(knownNames[kind], (head) => head);
    const owned = kind === 'id' ? [] : places(knownNames[kind], (head) => (owner.test(head) ? head.replace(owner, '') : ''));
    const found = [mapped, ...plain, ...owned].filter((at) => at.length > 0);
    if (manyColumns.includes(kind)) return found.flat();
    const [first = []] = found;
    if (first.length > 1) throw new BadCsv(`there are two columns for ${kind}: ${first.map((at) => names[at]).join(', ')}`, line);
    return first;
  };
  const columns = Object.fromEntries(columnKinds.map((kind) => [kind, columnOf(kind)])) as Columns;
  assertUsable({ columns, names, map }, line);
  return columns;
}

function assertUsable({ columns, names, map }: Named, line: number): void {
  const missing = [
    ...(columns.id.length > 0 ? [] : ["the upstream's id (patientId, submission_id, id)"]),
    ...(columns.email.length + columns.phone.length > 0 ? [] : ['an e-mail or a phone (email, phone, cellPhone)']),
  ];
  if (missing.length === 0) return;
  // Without a known name this is probably a row of data, so the error must not repeat its cells.
  const isHead = Object.values(columns).some((found) => found.length > 0);
  const seen = isHead ? `it has ${names.join(', ')}` : 'the first row must contain column names';
  const misspelt = [...map.keys()].find((name) => !names.includes(name));
  const hint = misspelt === undefined ? `${seen}; --map says what a column holds` : `it has no column "${misspelt}"`;
  throw new BadCsv(`the export has no column with ${missing.join(', and none with ')}: ${hint}`, line);
}

const contactMarks = /[\s,;<>"]+|mailto:/;
/** A masked value such as a***@example.org compares with nothing. */
const masked = /[*•…]|x{2,}/i;

export function emailsIn(cell: string): readonly string[] {
  const emails = cellValue(cell).split(contactMarks);
  return emails.filter((email) => /.@./.test(email) && !/[*•…]/.test(email)).map(sameEmail);
}

/** Fewer digits identify no phone. */
const phoneDigitsLeast = 7;

export function phonesIn(cell: string): readonly string[] {
  const value = cellValue(cell);
  if (masked.test(value) || digitsOf(value) instanceof InvalidValue) return [];
  const phone = samePhone(value);
  return phone.length < phoneDigitsLeast ? [] : [phone];
}

/** A phone without its area and country. */
export const localPhone = (phone: string): string => phone.slice(-phoneDigitsLeast);

/** A spreadsheet writes a long id as 1.28654E+11, which has lost its digits. */
const idIn = (cell: string): string => (/^\s*\d([.,]\d+)?e\+?\d+\s*$/i.test(cell) ? '' : cellValue(cell.trim()));

export function namesIn(...cells: readonly string[]): readonly Name[] {
  const plain = cells.map(cellValue).join(' ').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length === 0 ? [] : [{ words: [...new Set(words)].toSorted(), joined: words.join('') }];
}

export const isSameName = (one: Name, other: Name): boolean => one.joined === other.joined || one.words.join(' ') === other.words.join(' ');

/** True also if one leaves out a part, such as a middle name. */
export function isSimilarName(one: Name, other: Name): boolean {
  const isPart = (part: Name, whole: Name) => part.words.every((word) => whole.words.includes(word));
  return isSameName(one, other) || isPart(one, other) || isPart(other, one);
}

const union = <T>(one: readonly T[], other: readonly T[], keyOf: (item: T) => unknown = (item) => item): readonly T[] => [
  ...new Map([...one, ...other].map((item) => [keyOf(item), item])).values(),
];

const shares = (one: Person, other: Person): boolean =>
  one.emails.some((email) => other.emails.includes(email)) ||
  one.phones.some((phone) => other.phones.includes(phone)) ||
  one.names.some((name) => other.names.some((otherName) => isSameName(name, otherName)));

const older = (one?: DateSpan, other?: DateSpan): DateSpan | undefined =>
  one && other ? (other.from < one.from ? other : one) : undefined;

/** Joins the rows of one id, such as one row for each study of a patient. */
function joinRows(rows: readonly ExportRow[]): readonly ExportRow[] {
  const joined = new Map<string, ExportRow>();
  for (const row of rows) {
    const key = row.id || `line ${row.line}`;
    const known = joined.get(key);
    if (known && !shares(known, row))
      throw new BadCsv(`this row has the id of line ${known.line} and another person: the id must be the patient's own`, row.line);
    const both = known && {
      ...known,
      emails: union(known.emails, row.emails),
      phones: union(known.phones, row.phones),
      names: union(known.names, row.names, ({ joined: name }) => name),
      date: older(known.date, row.date),
    };
    joined.set(key, both ?? row);
  }
  return [...joined.values()];
}

async function rowsOf(csv: Uint8Array | string): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of csvRows(typeof csv === 'string' ? csv.replace(/^\uFEFF/, '') : csvText(csv))) rows.push(row);
  return rows;
}

/** Throws a `BadCsv` that names the missing columns and those that it saw. */
export async function readExport(csv: Uint8Array | string, { timeZone, map = new Map() }: ExportForm): Promise<ReadExport> {
  const [head, ...rows] = await rowsOf(csv);
  if (!head) throw new BadCsv('the file is empty');
  const columns = columnsIn(head, map);
  const damaged = rows.find(({ cells }) => cells.slice(head.cells.length).some((cell) => cell.trim() !== ''));
  if (damaged) throw new BadCsv('the row has more cells than the first row has column names', damaged.line);
  const cellsOf = (kind: ColumnKind, { cells }: CsvRow) => columns[kind].map((at) => cells[at] ?? '');
  const cellOf = (kind: ColumnKind, row: CsvRow) => cellsOf(kind, row).join('');
  const dateOf = createDateReader(
    rows.map((row) => cellOf('date', row)),
    timeZone,
  );
  const people = rows.map((row): ExportRow => {
    const parts = namesIn(cellOf('firstName', row), cellOf('lastName', row));
    return {
      line: row.line,
      id: idIn(cellOf('id', row)),
      emails: [...new Set(cellsOf('email', row).flatMap(emailsIn))],
      phones: [...new Set(cellsOf('phone', row).flatMap(phonesIn))],
      names: parts.length > 0 ? parts : namesIn(cellOf('name', row)),
      date: dateOf(cellOf('date', row)),
    };
  });
  const named = people.find(({ id, emails, phones }) => emails.includes(sameEmail(id)) || phones.includes(samePhone(id)));
  if (named) throw new BadCsv("the id is the e-mail or the phone of the same row: it must be the upstream's own id", named.line);
  return {
    columnNames: head.cells.map((cell) => cell.trim()),
    rows: joinRows(people),
    hasEmails: columns.email.length > 0,
    hasPhones: columns.phone.length > 0,
    hasDates: columns.date.length > 0,
  };
}

/** Reads a file with known columns, such as Leadgate's own export of leads, into one object a row. */
export async function recordsIn(csv: Uint8Array | string): Promise<readonly Readonly<Record<string, string>>[]> {
  const [head, ...rows] = await rowsOf(csv);
  return rows.map(({ cells }) => Object.fromEntries((head?.cells ?? []).map((name, at) => [name, cellValue(cells[at] ?? '')])));
}
