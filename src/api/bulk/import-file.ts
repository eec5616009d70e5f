/** Reads and validates a whole file of leads. Each row is good, bad, a duplicate, or already sent. */
import type { Config } from '../../config/config';
import { isSandboxed } from '../../config/upstreams';
import type { Endpoint } from '../../contract/endpoint';
import { ApiError } from '../../contract/errors';
import { routeOf } from '../../contract/flows';
import { leadColumn, type ImportReport } from '../../contract/imports';
import type { Detail, JsonObject } from '../../domain/lead';
import { createSeenLeads } from '../../domain/same-lead';
import { readInput, type Input } from '../../contract/input';
import type { Intake, PreparedRequest } from '../../intake/intake';
import { BadCsv, csvRows, csvText, type CsvRow } from '../../lib/csv';
import { yieldToEventLoop } from '../../lib/yield-to-event-loop';
import { columnsOf, type Columns } from './import-columns';

/** A valid row, prepared like a single request. */
export interface GoodRow extends PreparedRequest {
  readonly line: number;
  readonly input: Input;
}

/** An invalid row with its first problems. */
export interface BadRow {
  readonly line: number;
  readonly problems: readonly Detail[];
}

export interface ImportFile {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly good: readonly GoodRow[];
  readonly bad: readonly BadRow[];
  readonly duplicates: readonly { readonly line: number; readonly of: number }[];
  readonly known: number;
  readonly unknownColumns: ImportReport['unknownColumns'];
  readonly isSandbox: boolean;
}

const listedMost = 1_000;
/** The maximum number of problems that are reported per row. */
const listedOfRow = 20;
/** The maximum number of lines, as a multiple of the maximum number of rows: spreadsheets append many empty rows. */
const linesForRow = 10;

export function reportOf({ good, bad, duplicates, known, unknownColumns }: ImportFile): ImportReport {
  const counts = { good: good.length, badRows: bad.length, duplicateRows: duplicates.length, knownRows: known };
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const problems = bad.slice(0, listedMost).flatMap(({ line, problems: of }) => of.map(({ field, message }) => ({ line, field, message })));
  return { rows, ...counts, bad: problems.slice(0, listedMost), duplicates: duplicates.slice(0, listedMost), unknownColumns };
}

export interface ImportOptions {
  readonly flow: string;
  readonly dropUnknown: boolean;
}

type Limits = Pick<Config, 'BODY_LIMIT_BYTES' | 'JSON_KEYS_MAX' | 'IMPORT_ROWS_MAX'>;

/** Throws a 400 if the file cannot be parsed, because then none of its rows can be trusted. */
export async function readImport(
  bytes: Uint8Array,
  { flow, dropUnknown }: ImportOptions,
  intake: Intake,
  limits: Limits,
): Promise<ImportFile> {
  const [name, endpoint] = routeOf(flow);
  const columns = columnsOf(endpoint);
  const good: GoodRow[] = [];
  const bad: BadRow[] = [];
  const duplicates: { line: number; of: number }[] = [];
  const seen = createSeenLeads();
  const fresh: CsvRow[] = [];
  let head: ImportHeader | undefined;
  let rows = 0;
  try {
    const most = { rowMost: limits.BODY_LIMIT_BYTES, linesMost: limits.IMPORT_ROWS_MAX * linesForRow };
    for await (const row of csvRows(csvText(bytes), most)) {
      if (!head) {
        head = readHeader(row, columns, dropUnknown, limits);
        continue;
      }
      if (++rows > limits.IMPORT_ROWS_MAX) throw new BadCsv(`a file can have at most ${limits.IMPORT_ROWS_MAX} rows`, row.line);
      // An already sent row makes all other rows with the same lead duplicates, also those above it.
      if (row.cells[head.leadAt]?.trim()) seen.add(columns.read(head.names, row.cells), row.line);
      else fresh.push(row);
    }
  } catch (error) {
    if (!(error instanceof BadCsv)) throw error;
    throw invalidFile(error);
  }
  if (!head || rows === 0) throw invalidFile(new BadCsv('the file has no rows'));
  for await (const row of yieldToEventLoop(fresh)) addRow(row, head);
  return {
    name,
    endpoint,
    good,
    bad,
    duplicates,
    known: rows - fresh.length,
    unknownColumns: head.unknown,
    isSandbox: good.some(({ binding }) => isSandboxed(binding)),
  };

  function addRow({ line, cells }: CsvRow, { names }: ImportHeader): void {
    const given = columns.read(names, cells);
    const read = cells.slice(names.length).some((cell) => cell.trim() !== '') ? tooManyCells : validate(given);
    if (!('body' in read)) return void bad.push({ line, problems: read.slice(0, listedOfRow) });
    const of = seen.add(given, line);
    if (of !== undefined) return void duplicates.push({ line, of });
    good.push({ line, input: read, ...intake.prepare(endpoint, read.body) });
  }

  /** Validates a row as the route of its flow would validate the body. Returns the input, or the problems. */
  function validate(given: JsonObject): Input | readonly Detail[] {
    try {
      return readInput(given, endpoint, (read) => intake.problems(endpoint.flow, read));
    } catch (error) {
      if (error instanceof ApiError && error.extras.details) return error.extras.details;
      throw error;
    }
  }
}

const tooManyCells: readonly Detail[] = [{ field: '', message: 'has more cells than the first row has column names' }];

interface ImportHeader {
  /** The field of each column; empty for a column that is ignored. */
  readonly names: readonly string[];
  readonly leadAt: number;
  readonly unknown: ImportReport['unknownColumns'];
}

function readHeader({ line, cells }: CsvRow, columns: Columns, dropUnknown: boolean, { JSON_KEYS_MAX }: Limits): ImportHeader {
  const given = cells.map((cell) => cell.trim());
  const last = given.findLastIndex((name) => name !== '');
  const names = given.slice(0, last + 1);
  if (names.length > JSON_KEYS_MAX) throw new BadCsv(`a file can have at most ${JSON_KEYS_MAX} columns`, line);
  // Without a known name this is probably a row of data, so the error must not repeat its cells.
  if (!names.some((name) => columns.knows(name) || columns.alike(name)))
    throw new BadCsv('the first row must contain column names, but none of its cells is a field of the flow', line);
  const twice = names.find((name, at) => columns.knows(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new BadCsv(`the column ${twice} appears twice`, line);
  const unknown = names.flatMap((name, at) => (columns.knows(name) ? [] : [{ column: at + 1, name, like: columns.alike(name) }]));
  // A misspelled column is reported once, and its cells are validated under the correct name.
  const meant = (name: string) => {
    const like = columns.alike(name);
    return like === undefined || names.includes(like) ? name : like;
  };
  return {
    names: names.map((name) => (columns.knows(name) ? name : dropUnknown ? '' : meant(name))),
    leadAt: names.indexOf(leadColumn),
    unknown,
  };
}

const invalidFile = ({ message, line }: BadCsv): ApiError =>
  new ApiError('VALIDATION_ERROR', `The file cannot be read: line ${line}: ${message}`, {
    details: [{ field: `line ${line}`, message }],
  });
