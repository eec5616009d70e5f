/** CSV as spreadsheets write it → its rows, each with its line in the file; and a row → CSV. */
import { CsvError, parse, type InfoRecord } from 'csv-parse';
import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';

export interface CsvRow {
  /** Where it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Why a file cannot be read, in words that repeat nothing of it. */
export class BadCsv extends Error {
  override name = 'BadCsv';
  constructor(
    message: string,
    readonly line = 1,
  ) {
    super(message);
  }
}

/** What a file begins with says how it is written. */
const marks = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
] as const;

/** Lines end with `\n` in it, so that they are counted alike whoever wrote them. */
export function csvText(bytes: Uint8Array): string {
  const [encoding] = marks.find(([, first, second]) => bytes[0] === first && bytes[1] === second) ?? ['utf-8'];
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
    if (!text.includes('\0')) return text;
  } catch {
    throw new BadCsv('The file must be UTF-8: in Excel, save it as "CSV UTF-8"');
  }
  throw new BadCsv('The file must be text, without NUL characters');
}

const delimiters = [',', ';', '\t', '|'] as const;
/** More than this of a first line is not needed to see what stands between its names. */
const headMost = 65_536;

/** What stands most often between the names of the first line; Excel may also say so itself, in a line before it. */
function delimiterOf(text: string): string {
  const [, said] = /^sep=([,;\t|])\n/.exec(text) ?? [];
  if (said) return said;
  const [head = ''] = text
    .slice(0, headMost)
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split('\n', 1);
  const count = (delimiter: string) => head.split(delimiter).length;
  return delimiters.reduce((best, other) => (count(other) > count(best) ? other : best));
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened here or above and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'something stands between a closing quote and the end of its cell',
  INVALID_OPENING_QUOTE: 'a quote stands inside a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: 'the row is too long',
};

const piece = 16_384;

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += piece) yield text.slice(at, at + piece);
}

/** Rows between which other work gets its turn. */
const atOnce = 20;

const linesOf = (text: string): number => text.split('\n').length;

/** Lines without any value are left out. A last row that has no end and lacks cells may be half of one, of a file that was cut off. */
export async function* csvRows(text: string, rowMost?: number): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter: delimiterOf(text),
    record_delimiter: '\n',
    info: true,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    max_record_size: rowMost,
  });
  const source = Readable.from(pieces(text.replace(/^sep=[,;\t|]\n/, '\n')));
  source.pipe(parser);
  const openLine = text.endsWith('\n') ? undefined : linesOf(text);
  let named = 0;
  let read = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
      // A row is counted where it ends.
      const line = info.lines - linesOf(record.join('')) + 1;
      named ||= record.findLastIndex((name) => name.trim() !== '') + 1;
      if (info.lines === openLine && record.length < named)
        throw new BadCsv('the file ends in the middle of this row; where it is whole, end it with a line break', line);
      yield { line, cells: record };
      if (++read % atOnce === 0) await breathe();
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines : 1;
    throw new BadCsv(reasons[error.code] ?? 'this is no CSV that can be read', line);
  } finally {
    source.destroy();
  }
}

/** Whatever could be taken for a delimiter, too. */
const quoted = (cell: string): string => (/[",;|\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;

/** For files that people open: a cell that a spreadsheet would take for a formula is text. */
export const plainCsvLine = (cells: readonly string[]): string =>
  csvLine(cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)));
