/** Reads CSV as spreadsheets write it, row by row with line numbers, and writes CSV. */
import { CsvError, parse, type InfoRecord } from 'csv-parse';
import { Readable } from 'node:stream';
import { withTurns } from './with-turns';

export interface CsvRow {
  /** The line of the file on which the row begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Tells why a file cannot be read. The message repeats nothing of its content. */
export class BadCsv extends Error {
  override name = 'BadCsv';
  constructor(
    message: string,
    readonly line = 1,
  ) {
    super(message);
  }
}

/** The byte order marks of UTF-16; any other file is read as UTF-8. */
const marks = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
] as const;

/** Decodes a file's text. All line ends become `\n`, so that lines are counted alike. */
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
/** This much of the first line is enough to find the delimiter. */
const headMost = 65_536;

/** The most frequent delimiter of the first line. Excel may name it itself, in a line `sep=;` before that. */
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

const linesOf = (text: string): number => text.split('\n').length;

/**
 * Reads the rows; lines without any value are left out. Throws if the last row has no line end and too few cells: the file may have been
 * cut off.
 */
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
  try {
    for await (const { record, info } of withTurns(parser as AsyncIterable<{ record: string[]; info: InfoRecord }>)) {
      // The parser gives the line on which a row ends.
      const line = info.lines - linesOf(record.join('')) + 1;
      named ||= record.findLastIndex((name) => name.trim() !== '') + 1;
      if (info.lines === openLine && record.length < named)
        throw new BadCsv('the file ends in the middle of this row; where it is whole, end it with a line break', line);
      yield { line, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? error.lines : 1;
    throw new BadCsv(reasons[error.code] ?? 'this is no CSV that can be read', line);
  } finally {
    source.destroy();
  }
}

/** Quotes a cell that holds anything that could be taken for a delimiter. */
const quoted = (cell: string): string => (/[",;|\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;

/** A line for files that people open: a cell that a spreadsheet would take for a formula is made text. */
export const plainCsvLine = (cells: readonly string[]): string =>
  csvLine(cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)));
