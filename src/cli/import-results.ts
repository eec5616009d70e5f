/** The result file of an import: what became of each row, for nobody but its owner. It is added to as rows are told, so that a kill loses none. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { BadCsv, csvRows, csvText, plainCsvLine } from '../lib/csv';
import { codeOf, messageOf } from '../lib/errors';
import { Unable } from './command';

export interface Result {
  readonly line: number;
  readonly state: string;
  readonly leadId: string;
  readonly status: string;
  readonly message: string;
  /** The row's print: which row it was, wherever it stands now. */
  readonly row: string;
  /** As the service said when it was asked; not written down. */
  readonly isSandbox?: boolean;
}

const columns = ['line', 'state', 'leadId', 'status', 'message', 'row'] as const satisfies readonly (keyof Result)[];
const ownerOnly = 0o600;

/** A row's print → what is known of it from before. */
export type Known = ReadonlyMap<string, Result>;

export async function knownResults(path: string): Promise<Known> {
  const known = new Map<string, Result>();
  for (const result of await earlier(path)) {
    // A row that stands twice in a file is a lead where it was sent.
    if (result.leadId || !known.get(result.row)?.leadId) known.set(result.row, result);
  }
  return known;
}

export interface Results {
  add(result: Result): Promise<void>;
  /** In the order of the lines, and of these rows alone. */
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

/** All of it or none: the file is whole at every moment. */
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
    // A line that a kill cut off is not there.
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
  if (!isOurs) throw new Unable(`${path} is there and is no result of an import: move it away, or name another file with --out`);
  return results;
}

const unwritable = (path: string) => (error: unknown) => {
  throw new Unable(`${path} cannot be written: ${messageOf(error)}`);
};
