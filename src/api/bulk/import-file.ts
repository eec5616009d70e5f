/** Reads a file of leads as a whole and sorts its rows: good, bad, duplicate or sent before. Nothing is sent here. */
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

/** A row that can be sent, prepared like a request of its own. */
export interface GoodRow extends PreparedRequest {
  readonly line: number;
  readonly input: Input;
}

/** A row that is wrong, with the first of its problems. */
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
/** The most problems of one row: a row may have as many as cells. */
const listedOfRow = 20;
/** The most lines of a file for each row that it may have. Spreadsheets leave many rows without a value at the end. */
const linesForRow = 10;

export function reportOf({ good, bad, duplicates, known, unknownColumns }: ImportFile): ImportReport {
  const counts = { good: good.length, badRows: bad.length, duplicateRows: duplicates.length, knownRows: known };
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const problems = bad.slice(0, listedMost).flatMap(({ line, problems: of }) => of.map(({ field, message }) => ({ line, field, message })));
  return { rows, ...counts, bad: problems.slice(0, listedMost), duplicates: duplicates.slice(0, listedMost), unknownColumns };
}

export interface Reading {
  readonly flow: string;
  readonly dropUnknown: boolean;
}

type Limits = Pick<Config, 'BODY_LIMIT_BYTES' | 'JSON_KEYS_MAX' | 'IMPORT_ROWS_MAX'>;

/** Throws a 400 if the file as a whole cannot be read: then no row of it can be trusted. */
export async function readImport(bytes: Uint8Array, { flow, dropUnknown }: Reading, intake: Intake, limits: Limits): Promise<ImportFile> {
  const [name, endpoint] = routeOf(flow);
  const columns = columnsOf(endpoint);
  const good: GoodRow[] = [];
  const bad: BadRow[] = [];
  const duplicates: { line: number; of: number }[] = [];
  const seen = createSeenLeads();
  const fresh: CsvRow[] = [];
  let head: Head | undefined;
  let rows = 0;
  try {
    const most = { rowMost: limits.BODY_LIMIT_BYTES, linesMost: limits.IMPORT_ROWS_MAX * linesForRow };
    for await (const row of csvRows(csvText(bytes), most)) {
      if (!head) {
        head = headOf(row, columns, dropUnknown, limits);
        continue;
      }
      if (++rows > limits.IMPORT_ROWS_MAX) throw new BadCsv(`there can be at most ${limits.IMPORT_ROWS_MAX} rows in one file`, row.line);
      // A row that was sent before counts for all others, also for those before it.
      if (row.cells[head.leadAt]?.trim()) seen.add(columns.read(head.names, row.cells), row.line);
      else fresh.push(row);
    }
  } catch (error) {
    if (!(error instanceof BadCsv)) throw error;
    throw refused(error);
  }
  if (!head || rows === 0) throw refused(new BadCsv('there is no row in it'));
  for await (const row of yieldToEventLoop(fresh)) take(row, head);
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

  function take({ line, cells }: CsvRow, { names }: Head): void {
    const given = columns.read(names, cells);
    const read = cells.slice(names.length).some((cell) => cell.trim() !== '') ? tooLong : checked(given);
    if (!('body' in read)) return void bad.push({ line, problems: read.slice(0, listedOfRow) });
    const of = seen.add(given, line);
    if (of !== undefined) return void duplicates.push({ line, of });
    good.push({ line, input: read, ...intake.prepare(endpoint, read.body) });
  }

  /** Reads a row as the flow's own route would read its body. Returns what is wrong with it. */
  function checked(given: JsonObject): Input | readonly Detail[] {
    try {
      return readInput(given, endpoint, (read) => intake.problems(endpoint.flow, read));
    } catch (error) {
      if (error instanceof ApiError && error.extras.details) return error.extras.details;
      throw error;
    }
  }
}

const tooLong: readonly Detail[] = [{ field: '', message: 'has more cells than the first row has names' }];

interface Head {
  /** The fields of the columns; empty for a column that is left out. */
  readonly names: readonly string[];
  readonly leadAt: number;
  readonly unknown: ImportReport['unknownColumns'];
}

function headOf({ line, cells }: CsvRow, columns: Columns, dropUnknown: boolean, { JSON_KEYS_MAX }: Limits): Head {
  const given = cells.map((cell) => cell.trim());
  const last = given.findLastIndex((name) => name !== '');
  const names = given.slice(0, last + 1);
  if (names.length > JSON_KEYS_MAX) throw new BadCsv(`there can be at most ${JSON_KEYS_MAX} columns`, line);
  // Without any known name this is no row of names. Its cells may be a person's data and are not repeated.
  if (!names.some((name) => columns.knows(name) || columns.alike(name)))
    throw new BadCsv("the first row must name the columns by the flow's fields, and none of these is one", line);
  const twice = names.find((name, at) => columns.knows(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new BadCsv(`two columns are named ${twice}`, line);
  const unknown = names.flatMap((name, at) => (columns.knows(name) ? [] : [{ column: at + 1, name, like: columns.alike(name) }]));
  // A misspelled column is reported once. Its rows are checked under the right name.
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

const refused = ({ message, line }: BadCsv): ApiError =>
  new ApiError('VALIDATION_ERROR', `This file cannot be read: line ${line}: ${message}`, {
    details: [{ field: `line ${line}`, message }],
  });
