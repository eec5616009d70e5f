/** Reads and writes CSV as spreadsheets do. Rows have line numbers. */
import { yieldToEventLoop } from './yield-to-event-loop';

export interface CsvRow {
  /** The line of the file on which the row starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Thrown for a file that cannot be read. The message repeats nothing of its content. */
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

/** Decodes a file's text. */
export function csvText(bytes: Uint8Array): string {
  const [encoding] = marks.find(([, first, second]) => bytes[0] === first && bytes[1] === second) ?? ['utf-8'];
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    throw new BadCsv('The file must be UTF-8: in Excel, save it as "CSV UTF-8"');
  }
  throw new BadCsv('The file must be text, without NUL characters');
}

const delimiters = [',', ';', '\t', '|'] as const;
/** The delimiter is searched in this many characters. */
const headMost = 65_536;

/** Excel may name the delimiter in the first line. */
const namedDelimiter = /^sep=([,;\t|])(?=[\r\n])/;

/** The most frequent delimiter of the first line. */
function mostFrequent(text: string): string {
  const [head = ''] = text
    .slice(0, headMost)
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (delimiter: string) => head.split(delimiter).length;
  return delimiters.reduce((best, other) => (count(other) > count(best) ? other : best));
}

interface Cell {
  readonly value: string;
  /** The number of line breaks in it. */
  readonly lines: number;
  /** The position after it. */
  readonly end: number;
}

function quotedCell(text: string, at: number, line: number): Cell {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close < 0) throw new BadCsv('a quote is opened here and never closed', line);
  const value = text
    .slice(at + 1, close)
    .replaceAll('""', '"')
    .replace(/\r\n?/g, '\n');
  return { value, lines: value.split('\n').length - 1, end: close + 1 };
}

const lineEnd = /\r\n?|\n/y;

/** No spreadsheet has more columns. */
const cellsMost = 16_384;

export interface CsvLimits {
  /** The most characters of a row. */
  readonly rowMost?: number;
  /** The most lines of the file, empty ones included. */
  readonly linesMost?: number;
}

/**
 * Reads every row in one pass. A hostile file costs no more than a good one: rows of different lengths throw no errors, and no search is
 * repeated.
 */
function* everyRow(
  text: string,
  { rowMost = Infinity, linesMost = Infinity }: CsvLimits,
): Generator<CsvRow & { readonly isOpen: boolean }> {
  const [first = '', named] = namedDelimiter.exec(text) ?? [];
  const delimiter = named ?? mostFrequent(text);
  const cellEnd = new RegExp(`[${delimiter}\\r\\n]|$`, 'g');

  function cellAt(at: number, line: number): Cell {
    if (text[at] === '"') return quotedCell(text, at, line);
    cellEnd.lastIndex = at;
    const end = cellEnd.exec(text)?.index ?? text.length;
    const value = text.slice(at, end);
    if (value.includes('"')) throw new BadCsv('a quote is inside a cell that does not begin with one', line);
    return { value, lines: 0, end };
  }

  let line = 1;
  for (let at = first.length; at < text.length; line++) {
    if (line > linesMost) throw new BadCsv(`there can be at most ${linesMost} lines in one file`, line);
    const [from, begins] = [at, line];
    const cells: string[] = [];
    for (;;) {
      const { value, lines, end } = cellAt(at, line);
      cells.push(value);
      line += lines;
      if (end - from > rowMost) throw new BadCsv('the row is too long', begins);
      if (cells.length > cellsMost) throw new BadCsv(`a row can have at most ${cellsMost} cells`, begins);
      at = end;
      if (text[at] !== delimiter) break;
      at++;
    }
    lineEnd.lastIndex = at;
    const [ended] = lineEnd.exec(text) ?? [];
    if (ended === undefined && at < text.length) throw new BadCsv('there is text between a closing quote and the end of its cell', line);
    at += ended?.length ?? 0;
    yield { line: begins, cells, isOpen: ended === undefined };
  }
}

/**
 * Reads the rows. Lines without values are left out. Throws if the last row has no line break and too few cells, because the file may be
 * truncated.
 */
export async function* csvRows(text: string, limits: CsvLimits = {}): AsyncGenerator<CsvRow> {
  let named = 0;
  for await (const { line, cells, isOpen } of yieldToEventLoop(everyRow(text, limits))) {
    const last = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    if (last === 0) continue;
    named ||= last;
    if (isOpen && cells.length < named)
      throw new BadCsv('the file ends in the middle of this row; if it is complete, end it with a line break', line);
    yield { line, cells };
  }
}

/** Quotes a cell that contains a delimiter, a quote or a line break. */
const quoted = (cell: string): string => (/[",;|\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;

const formula = /^[=+\-@＝＋－＠\t\r]/;

/** A line for spreadsheets: a cell that looks like a formula is made text. */
export const plainCsvLine = (cells: readonly string[]): string => csvLine(cells.map((cell) => (formula.test(cell) ? `'${cell}` : cell)));

/** The value of a cell that was made text. */
export const cellValue = (cell: string): string => (cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell);
