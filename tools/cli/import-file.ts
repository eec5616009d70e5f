/**
 * Reads a CSV file of leads and writes the CSV that the API accepts: columns named by the flow's fields, each row on its original line.
 */
import { createHash } from 'node:crypto';
import { environmentValue } from '../../src/config/config';
import { leadColumn } from '../../src/contract/imports';
import { canonical } from '../../src/intake/identity';
import { base32 } from '../../src/lib/base32';
import { BadCsv, csvLine, csvRows, csvText } from '../../src/lib/csv';
import { CommandError } from './command';
import { readGivenFile } from './given-files';

export interface FileRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** A hash of the row's values. It does not depend on the line, and does not reveal the values. */
  readonly rowHash: string;
}

export interface LeadsFile {
  readonly head: FileRow;
  readonly rows: readonly FileRow[];
}

export interface ColumnChanges {
  readonly map: readonly string[];
  readonly set: readonly string[];
  readonly setEnv: readonly string[];
}

export async function readLeadsFile(path: string, flow: string, changes: ColumnChanges): Promise<LeadsFile> {
  const bytes = await readGivenFile(path);
  const rows: { line: number; cells: readonly string[] }[] = [];
  try {
    for await (const row of csvRows(csvText(bytes))) rows.push(row);
  } catch (error) {
    if (error instanceof BadCsv) throw new CommandError(`${path}, line ${error.line}: ${error.message}`);
    throw error;
  }
  const [first, ...others] = rows;
  if (!first || others.length === 0) throw new CommandError(`There is no row in ${path}`);
  const columns = mapColumns(first.cells, changes.map);
  const constants = constantsOf(changes, columns.names);
  const names = [...constants.map(([name]) => name), ...columns.names];
  const values = constants.map(([, value]) => value);
  return {
    head: { line: first.line, cells: names, rowHash: '' },
    rows: others.map(({ line, cells }) => {
      const whole = [...values, ...columns.kept(cells)];
      return { line, cells: whole, rowHash: hashOf(flow, names, whole) };
    }),
  };
}

/** Writes each row on its original line. A row that is already a lead has the lead's id. */
export function apiFile({ head, rows }: LeadsFile, leadIdOf: (row: FileRow) => string): string {
  let text = '';
  let at = 1;
  const put = (line: number, cells: readonly string[]) => {
    const written = '\n'.repeat(Math.max(0, line - at)) + csvLine(cells);
    at += written.split('\n').length - 1;
    text += written;
  };
  put(head.line, [leadColumn, ...head.cells]);
  for (const row of rows) put(row.line, [leadIdOf(row), ...row.cells]);
  return text;
}

function mapColumns(given: readonly string[], map: readonly string[]) {
  const trimmed = given.map((name) => name.trim());
  const last = trimmed.findLastIndex((name) => name !== '');
  const to = new Map(map.map((one) => splitPair(one, one.lastIndexOf('='), '--map "First Name=firstName"')));
  const unknownColumn = [...to.keys()].find((name) => !trimmed.includes(name));
  if (unknownColumn !== undefined) throw new CommandError(`--map: there is no column "${unknownColumn}" in the file`);
  const isKept = (at: number) => at > last || to.get(trimmed[at] ?? '') !== '';
  return {
    names: trimmed.slice(0, last + 1).flatMap((name, at) => (isKept(at) ? [to.get(name) ?? name] : [])),
    // Keep cells beyond the last column, so that the API reports them.
    kept: (cells: readonly string[]) =>
      Array.from({ length: Math.max(cells.length, last + 1) }, (_, at) => cells[at] ?? '').filter((_, at) => isKept(at)),
  };
}

function constantsOf({ set, setEnv }: ColumnChanges, names: readonly string[]): (readonly [string, string])[] {
  const plain = set.map((one) => splitPair(one, one.indexOf('='), '--set instanceName=erg-oct'));
  const named = setEnv.map((one) => {
    const [name, variable] = splitPair(one, one.indexOf('='), '--set-env bearerToken=RECRUIT_TOKEN');
    const value = environmentValue(variable);
    if (value === undefined) throw new CommandError(`--set-env: the variable ${variable} is not set`);
    return [name, value] as const;
  });
  const twice = [...plain, ...named].find(([name]) => names.includes(name));
  if (twice) throw new CommandError(`--set: ${twice[0]} is a column of the file already`);
  return [...plain, ...named];
}

function splitPair(given: string, at: number, form: string): readonly [string, string] {
  if (at < 1) throw new CommandError(`What follows ${form.split(' ')[0] ?? ''} must be like ${form}`);
  return [given.slice(0, at).trim(), given.slice(at + 1).trim()];
}

const hashCharacters = 20;

function hashOf(flow: string, names: readonly string[], cells: readonly string[]): string {
  const filled = names.flatMap((name, at) => (cells[at]?.trim() ? [[name, cells[at]] as const] : []));
  const digest = createHash('sha256')
    .update(`${flow}\0${canonical(Object.fromEntries(filled))}`)
    .digest();
  return `r${base32(digest, hashCharacters)}`;
}
