/** Reads the options of an import, and builds its answers: the error for an invalid file, and the line of each row. */
import { ApiError, errorCodes } from '../../contract/errors';
import { didYouMean } from '../../domain/nearest';
import type { ImportLine, ImportReport } from '../../contract/imports';
import type { LeadReport } from '../../domain/lead';
import { usualRatePerS } from '../../domain/bulk';
import type { Input } from '../../contract/input';
import { answerOf } from '../answer';
import type { BadRow, ImportFile } from './import-file';

export interface ImportOrder {
  readonly flow: string;
  readonly check: boolean;
  readonly skipBad: boolean;
  readonly dropUnknown: boolean;
  readonly ratePerS: number;
}

export function readOrder({ body }: Input): ImportOrder {
  const { flow, check, skipBad, dropUnknown, ratePerS = usualRatePerS } = body;
  const isYes = (word: unknown) => word === 'true';
  return { flow: String(flow), check: isYes(check), skipBad: isYes(skipBad), dropUnknown: isYes(dropUnknown), ratePerS: Number(ratePerS) };
}

const detailsMost = 100;

export function fileError(report: ImportReport): ApiError {
  const { rows, badRows, unknownColumns, bad } = report;
  const columns = unknownColumns.map(({ column, name, like }) => {
    const message = didYouMean(`is not a field of this flow (column ${column})`, like);
    return { field: name, message };
  });
  const wrongColumns =
    columns.length === 1 ? '1 column is not a field of this flow' : `${columns.length} columns are not fields of this flow`;
  const problem = columns.length > 0 ? wrongColumns : `${badRows} of ${rows} rows are invalid`;
  return new ApiError('VALIDATION_ERROR', `Nothing was sent: ${problem}`, {
    details: [...columns, ...bad].slice(0, detailsMost),
    errorContext: { report },
  });
}

export type RowLine = Extract<ImportLine, { kind: 'row' }>;

/** Builds the lines of bad and duplicate rows, which are not sent. */
export function skippedLines({ bad, duplicates }: ImportFile): RowLine[] {
  const { status } = errorCodes.VALIDATION_ERROR;
  const said = ({ problems }: BadRow) => problems.map(({ field, message }) => [field, message].filter(Boolean).join(' ')).join('; ');
  return [
    ...bad.map((row): RowLine => {
      return { kind: 'row', line: row.line, state: 'bad', status, code: 'VALIDATION_ERROR', message: said(row) };
    }),
    ...duplicates.map(({ line, of }): RowLine => {
      return { kind: 'row', line, state: 'duplicate', duplicateOf: of, message: `has the same lead as line ${of}` };
    }),
  ];
}

/** Builds the line of an accepted row, with the status that a single request would get. */
export function leadLine(line: number, report: LeadReport): RowLine {
  const { leadId, state } = report;
  const lead = { kind: 'row', line, state, leadId } as const;
  try {
    const { status, body } = answerOf(report);
    return { ...lead, status, ...(status === 202 && { message: String(body.message) }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...lead, status: errorCodes[error.code].status, code: error.code, message: error.message };
  }
}

/** Builds the line of a row that was not accepted, or that may have been. */
export function errorLine(line: number, { code, message, extras }: ApiError): RowLine {
  const { leadId } = extras.errorContext ?? {};
  const state = code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'not-sent';
  return { kind: 'row', line, state, status: errorCodes[code].status, code, message, ...(typeof leadId === 'string' && { leadId }) };
}
