/**
 * Reads and writes the result file of an import, which has the outcome of each row. Only its owner can read it. Each result is appended at
 * once, so that a killed import loses none.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { BadCsv, csvRows, csvText, plainCsvLine } from '../../src/lib/csv';
import { codeOf, messageOf } from '../../src/lib/errors';
import { CommandError } from './command';

export interface RowResult {
  readonly line: number;
  readonly state: string;
  readonly leadId: string;
  readonly status: string;
  readonly message: string;
  /** The row's hash, which identifies it on any line. */
  readonly row: string;
  /** From the answer of the service; not written to the file. */
  readonly isSandbox?: boolean;
}

const columns = ['line', 'state', 'leadId', 'status', 'message', 'row'] as const satisfies readonly (keyof RowResult)[];
const ownerOnly = 0o600;

/** Row hash → the row's result in an earlier import. */
export type EarlierResults = ReadonlyMap<string, RowResult>;

export async function readEarlierResults(path: string): Promise<EarlierResults> {
  const known = new Map<string, RowResult>();
  for (const result of await readResults(path)) {
    // If a row appears twice, keep the result with a lead id.
    if (result.leadId || !known.get(result.row)?.leadId) known.set(result.row, result);
  }
  return known;
}

export interface ResultFile {
  add(result: RowResult): Promise<void>;
  /** Rewrites the file with only these results, ordered by line. */
  finish(results: readonly RowResult[]): Promise<void>;
  close(): Promise<void>;
}

export async function openResultFile(path: string, known: EarlierResults): Promise<ResultFile> {
  await rewrite(path, [...known.values()]);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW).catch(throwNotWritable(path));
  return {
    add: async (result) => void (await file.write(resultLine(result))),
    finish: (results) => rewrite(path, results),
    close: () => file.close(),
  };
}

const resultLine = (result: RowResult): string => plainCsvLine(columns.map((column) => String(result[column]).replace(/\s+/g, ' ')));

/** Replaces the file atomically. */
async function rewrite(path: string, results: readonly RowResult[]): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.new`;
  const sorted = results.toSorted((one, other) => one.line - other.line);
  const file = await open(next, 'wx', ownerOnly).catch(throwNotWritable(path));
  await file.writeFile([plainCsvLine(columns), ...sorted.map(resultLine)].join(''));
  await file.close();
  await rename(next, path);
}

async function readResults(path: string): Promise<RowResult[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read (${String(codeOf(error))})`);
  });
  if (!bytes) return [];
  const results: RowResult[] = [];
  let isOurs = false;
  try {
    // Skip an incomplete last line, which a killed import leaves.
    for await (const { cells } of csvRows(csvText(bytes).replace(/[^\n]*$/, ''))) {
      const [line = '', state = '', leadId = '', status = '', message = '', row = ''] = cells;
      if (isOurs) results.push({ line: Number(line), state, leadId, status, message, row });
      isOurs ||= columns.every((column, at) => cells[at] === column);
      if (!isOurs) break;
    }
  } catch (error) {
    if (!(error instanceof BadCsv)) throw error;
    isOurs = false;
  }
  if (!isOurs)
    throw new CommandError(`${path} exists and is not the result file of an import: move it away, or name another file with --out`);
  return results;
}

const throwNotWritable = (path: string) => (error: unknown) => {
  throw new CommandError(`${path} cannot be written: ${messageOf(error)}`);
};
