/** Formats the messages of `leadgate import`. */
import type { ImportLeadsOutput } from '../client/generated/leads';
import type { JsonObject } from '../../src/domain/lead';
import type { RowResult } from './import-results';
import { pluralize } from './print';

/** The state of a row whose lead id the service does not know. */
export const unknownLeadState = 'not-here';

export const unknownLeadMessage = ({ state }: RowResult): string =>
  `unknown to this service: it was sent to another one, or was deleted after its retention; last known state: ${state}`;

export function unknownLeadsWarning(count: number, out: string): string {
  if (count === 0) return '';
  return [
    `${pluralize(count, 'row has', 'rows have')} a lead id in ${out} that this service does not know: sent to another service, or deleted after its retention. Not sent again.`,
    'Check that LEADGATE_URL is the service that received the file. To also send the file to this service, name another result file with --out.\n',
  ].join('\n');
}

/** Formats a result as the API formats a row. */
export const rowLine = ({ line, state, leadId, status, message }: RowResult): JsonObject => ({
  kind: 'row',
  line,
  state,
  leadId,
  ...(status && { status: Number(status) }),
  ...(message && { message }),
});

/** The most problems of a kind to print; --json prints all. */
const shownMost = 20;

function firstLines<T>(list: readonly T[], line: (one: T) => string): string[] {
  return [...list.slice(0, shownMost).map(line), ...(list.length > shownMost ? ['… and more; --json shows all'] : [])];
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

/** Formats the API's report on a file: one line for each problem, and the totals. */
export function reportLines({ rows, good, badRows, duplicateRows, knownRows, bad, duplicates, unknownColumns }: FileReport): string {
  const lines = [
    ...firstLines(unknownColumns, ({ name, like }) => {
      const fix = like === undefined ? `leave it out with --map '${name}='` : `--map '${name}=${like}'`;
      return `column ${name}: not a field of this flow; ${fix}`;
    }),
    ...firstLines([...linesByProblem(bad)], ([problem, numbers]) => `${linesOf(numbers)}: ${problem}`),
    ...firstLines(duplicates, ({ line, of }) => `line ${line}: has the same lead as line ${of}`),
    `${rows} rows: ${good} to send, ${badRows} invalid, ${pluralize(duplicateRows, 'duplicate')}, ${knownRows} sent before`,
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
  const unprocessed = rows - Object.values(counts).reduce((sum, count) => sum + count, 0);
  const text = [...parts, ...(unprocessed > 0 ? [`${unprocessed} not processed yet`] : [])].join(', ');
  return `${rows} rows: ${text}${sentBefore > 0 ? `; ${sentBefore} sent before` : ''}. Results: ${out}\n`;
}

export function countsOf(results: readonly RowResult[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of results) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
