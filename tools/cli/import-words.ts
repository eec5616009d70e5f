/** The messages of `leadgate import`. */
import type { ImportLeadsOutput } from '../client/generated/leads';
import type { JsonObject } from '../../src/domain/lead';
import type { Result } from './import-results';
import { counted } from './print';

/** The state of a row whose lead id the service does not know. */
export const notHere = 'not-here';

export const notHereMessage = ({ state }: Result): string =>
  `not known to this service: it was sent to another one, or is kept no longer; last known as ${state}`;

export function notHereWords(count: number, out: string): string {
  if (count === 0) return '';
  return [
    `${counted(count, 'row has', 'rows have')} a lead id in ${out} that this service does not know: sent to another one, or kept no longer. Not sent again.`,
    'Is LEADGATE_URL the service that the file was sent to? To send the whole file to this one, too, name another result file with --out.\n',
  ].join('\n');
}

/** A result in the form in which the API reports a row. */
export const rowLine = ({ line, state, leadId, status, message }: Result): JsonObject => ({
  kind: 'row',
  line,
  state,
  leadId,
  ...(status && { status: Number(status) }),
  ...(message && { message }),
});

/** The most problems of a kind to print; --json prints all. */
const shownMost = 20;

function shown<T>(list: readonly T[], line: (one: T) => string): string[] {
  return [...list.slice(0, shownMost).map(line), ...(list.length > shownMost ? ['… and more like these; --json shows them'] : [])];
}

/** The problems of a file, each with the lines that have it. A missing column is one problem of every line. */
function linesByProblem(bad: FileReport['bad']): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { line, field, message } of bad) {
    const problem = [field, message].filter(Boolean).join(' ');
    found.set(problem, [...(found.get(problem) ?? []), line]);
  }
  return found;
}

const namedMost = 3;

function linesOf(numbers: readonly number[]): string {
  const named = numbers.slice(0, namedMost).join(', ');
  return `${numbers.length === 1 ? 'line' : 'lines'} ${named}${numbers.length > namedMost ? ' and others' : ''}`;
}

export type FileReport = Omit<ImportLeadsOutput, 'success' | 'right'>;

/** The API's report on a file: a line for each thing that a person may want to correct. */
export function reportLines({ rows, good, badRows, duplicateRows, knownRows, bad, duplicates, unknownColumns }: FileReport): string {
  const lines = [
    ...shown(unknownColumns, ({ name, like }) => {
      const mend = like === undefined ? `--map '${name}=' leaves it out` : `--map '${name}=${like}'`;
      return `column ${name}: no field of this flow; ${mend}`;
    }),
    ...shown([...linesByProblem(bad)], ([problem, numbers]) => `${linesOf(numbers)}: ${problem}`),
    ...shown(duplicates, ({ line, of }) => `line ${line}: has the same lead as line ${of}`),
    `${rows} rows: ${good} to send, ${badRows} not right, ${counted(duplicateRows, 'duplicate')}, ${knownRows} sent before`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

interface Summary {
  readonly counts: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly sentBefore: number;
  readonly out: string;
}

export function summaryLine({ counts, rows, sentBefore, out }: Summary): string {
  const parts = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  const untold = rows - Object.values(counts).reduce((sum, count) => sum + count, 0);
  const said = [...parts, ...(untold > 0 ? [`${untold} not taken yet`] : [])].join(', ');
  return `${rows} rows: ${said}${sentBefore > 0 ? `; ${sentBefore} sent before` : ''}. Each is in ${out}\n`;
}

export function countsOf(results: readonly Result[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
