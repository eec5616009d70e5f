/**
 * The result file of an import: what became of each row, readable by its owner only. Each result is appended as it comes, so that a
 * killed import loses none.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { BadCsv, csvRows, csvText, plainCsvLine } from '../../src/lib/csv';
import { codeOf, messageOf } from '../../src/lib/errors';
import { Unable } from './command';

export interface Result {
  readonly line: number;
  readonly state: string;
  readonly leadId: string;
  readonly status: string;
  readonly message: string;
  /** The row's print: a hash that identifies the row wherever it stands. */
  readonly row: string;
  /** As the service answered; not written to the file. */
  readonly isSandbox?: boolean;
}

const columns = ['line', 'state', 'leadId', 'status', 'message', 'row'] as const satisfies readonly (keyof Result)[];
const ownerOnly = 0o600;

/** A row's print → its result from an earlier import. */
export type Known = ReadonlyMap<string, Result>;

export async function knownResults(path: string): Promise<Known> {
  const known = new Map<string, Result>();
  for (const result of await earlier(path)) {
    // For a row that appears twice, keep the result with a lead id.
    if (result.leadId || !known.get(result.row)?.leadId) known.set(result.row, result);
  }
  return known;
}

export interface Results {
  add(result: Result): Promise<void>;
  /** Rewrites the file with only these results, in the order of the lines. */
  finish(results: readonly Result[]): Promise<void>;
  close(): Promise<void>;
}

export async function openResults(path: string, known: Known): Promise<Results> {
  await rewrite(path, [...known.values()]);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW).catch(unwritable(path));
  return {
    add: async (result) => void (await file.write(written(result))),
    finish: (results) => rewrite(path, results),
    close: () => file.close(),
  };
}

const written = (result: Result): string => plainCsvLine(columns.map((column) => String(result[column]).replace(/\s+/g, ' ')));

/** Replaces the file in one step, so that it is complete at every moment. */
async function rewrite(path: string, results: readonly Result[]): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.new`;
  const sorted = results.toSorted((one, other) => one.line - other.line);
  const file = await open(next, 'wx', ownerOnly).catch(unwritable(path));
  await file.writeFile([plainCsvLine(columns), ...sorted.map(written)].join(''));
  await file.close();
  await rename(next, path);
}

async function earlier(path: string): Promise<Result[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Unable(`${path} cannot be read (${String(codeOf(error))})`);
  });
  if (!bytes) return [];
  const results: Result[] = [];
  let isOurs = false;
  try {
    // Skip a last line that a kill cut short.
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
  if (!isOurs) throw new Unable(`${path} exists and is not the result file of an import: move it away, or name another file with --out`);
  return results;
}

const unwritable = (path: string) => (error: unknown) => {
  throw new Unable(`${path} cannot be written: ${messageOf(error)}`);
};
