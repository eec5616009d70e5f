/**
 * Reads a person's file of leads and writes the file that the API takes: columns named by the flow's fields, each row on its original
 * line.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { environmentValue } from '../../src/config/config';
import { leadColumn } from '../../src/contract/imports';
import { canonical } from '../../src/intake/identity';
import { base32 } from '../../src/lib/base32';
import { BadCsv, csvLine, csvRows, csvText } from '../../src/lib/csv';
import { codeOf } from '../../src/lib/errors';
import { Unable } from './command';

export interface FileRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** A hash of the row's values. It is the same wherever the row stands, and the values cannot be read from it. */
  readonly print: string;
}

export interface LeadsFile {
  readonly head: FileRow;
  readonly rows: readonly FileRow[];
}

export interface Changes {
  readonly map: readonly string[];
  readonly set: readonly string[];
  readonly setEnv: readonly string[];
}

export async function leadsFile(path: string, flow: string, changes: Changes): Promise<LeadsFile> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Unable(codeOf(error) === 'ENOENT' ? `There is no file ${path}` : `${path} cannot be read (${String(codeOf(error))})`);
  });
  const rows: { line: number; cells: readonly string[] }[] = [];
  try {
    for await (const row of csvRows(csvText(bytes))) rows.push(row);
  } catch (error) {
    if (error instanceof BadCsv) throw new Unable(`${path}, line ${error.line}: ${error.message}`);
    throw error;
  }
  const [first, ...others] = rows;
  if (!first || others.length === 0) throw new Unable(`There is no row in ${path}`);
  const columns = mapped(first.cells, changes.map);
  const constants = constantsOf(changes, columns.names);
  const names = [...constants.map(([name]) => name), ...columns.names];
  const values = constants.map(([, value]) => value);
  return {
    head: { line: first.line, cells: names, print: '' },
    rows: others.map(({ line, cells }) => {
      const whole = [...values, ...columns.kept(cells)];
      return { line, cells: whole, print: printOf(flow, names, whole) };
    }),
  };
}

/** Writes each row on its original line; rows of known leads carry the lead's id. */
export function fileFor({ head, rows }: LeadsFile, leadIdOf: (row: FileRow) => string): string {
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

function mapped(given: readonly string[], map: readonly string[]) {
  const trimmed = given.map((name) => name.trim());
  const last = trimmed.findLastIndex((name) => name !== '');
  const to = new Map(map.map((one) => pair(one, one.lastIndexOf('='), '--map "First Name=firstName"')));
  const strange = [...to.keys()].find((name) => !trimmed.includes(name));
  if (strange !== undefined) throw new Unable(`--map: there is no column "${strange}" in the file`);
  const isKept = (at: number) => at > last || to.get(trimmed[at] ?? '') !== '';
  return {
    names: trimmed.slice(0, last + 1).flatMap((name, at) => (isKept(at) ? [to.get(name) ?? name] : [])),
    // Keep cells beyond the last column: the API refuses them.
    kept: (cells: readonly string[]) =>
      Array.from({ length: Math.max(cells.length, last + 1) }, (_, at) => cells[at] ?? '').filter((_, at) => isKept(at)),
  };
}

function constantsOf({ set, setEnv }: Changes, names: readonly string[]): (readonly [string, string])[] {
  const plain = set.map((one) => pair(one, one.indexOf('='), '--set instanceName=erg-oct'));
  const named = setEnv.map((one) => {
    const [name, variable] = pair(one, one.indexOf('='), '--set-env bearerToken=RECRUIT_TOKEN');
    const value = environmentValue(variable);
    if (value === undefined) throw new Unable(`--set-env: the variable ${variable} is not set`);
    return [name, value] as const;
  });
  const twice = [...plain, ...named].find(([name]) => names.includes(name));
  if (twice) throw new Unable(`--set: ${twice[0]} is a column of the file already`);
  return [...plain, ...named];
}

function pair(given: string, at: number, form: string): readonly [string, string] {
  if (at < 1) throw new Unable(`What follows ${form.split(' ')[0] ?? ''} must be like ${form}`);
  return [given.slice(0, at).trim(), given.slice(at + 1).trim()];
}

const printCharacters = 20;

function printOf(flow: string, names: readonly string[], cells: readonly string[]): string {
  const filled = names.flatMap((name, at) => (cells[at]?.trim() ? [[name, cells[at]] as const] : []));
  const digest = createHash('sha256')
    .update(`${flow}\0${canonical(Object.fromEntries(filled))}`)
    .digest();
  return `r${base32(digest, printCharacters)}`;
}
