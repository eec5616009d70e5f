/** Summarises verdicts as rows of a report. */
import type { LeadVerdict } from './oracle';

export interface ReportRow {
  readonly fault: string;
  readonly step: string;
  readonly trials: number;
  readonly delivered: number;
  readonly parked: number;
  readonly failed: number;
  readonly open: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly 'false answers': number;
  readonly 'p95 s to final': number | '';
}

export function p95(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1];
}

export function rowOf(fault: string, step: string, verdicts: readonly LeadVerdict[]): ReportRow {
  const ended = (end: LeadVerdict['end']) => verdicts.filter((verdict) => verdict.end === end).length;
  const finalMs = p95(verdicts.flatMap((verdict) => verdict.finalMs ?? []));
  return {
    fault,
    step,
    trials: verdicts.length,
    delivered: ended('delivered'),
    parked: ended('parked'),
    failed: ended('failed'),
    open: ended('open'),
    lost: ended('lost'),
    duplicated: verdicts.filter(({ duplicated: doubled }) => doubled).length,
    'false answers': verdicts.reduce((sum, { falseAnswers }) => sum + falseAnswers.length, 0),
    'p95 s to final': finalMs === undefined ? '' : Math.round(finalMs / 100) / 10,
  };
}

export const isViolation = ({ end, duplicated: doubled, falseAnswers }: LeadVerdict): boolean =>
  end === 'lost' || doubled || falseAnswers.length > 0;

/** One line for each lead with a violation. */
export const violationLines = (fault: string, verdicts: readonly LeadVerdict[]): string[] =>
  verdicts
    .filter(isViolation)
    .map(({ lead, state, end, duplicated: doubled, falseAnswers }) =>
      [fault, lead.email, `listed: ${state}`, end === 'lost' && 'LOST', doubled && 'DOUBLED', ...falseAnswers].filter(Boolean).join(' | '),
    );

export function markdown(rows: readonly object[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => `| ${Object.values(row).join(' | ')} |`);
  return [`| ${heads.join(' | ')} |`, `|${heads.map(() => ' --- |').join('')}`, ...lines].join('\n');
}
