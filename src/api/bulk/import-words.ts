/** Reads the order for an import, and words its answers: the refusal of a wrong file, and the line of each row. */
import { ApiError, errorCodes } from '../../contract/errors';
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

export function orderOf({ body }: Input): ImportOrder {
  const { flow, check, skipBad, dropUnknown, ratePerS = usualRatePerS } = body;
  const isYes = (word: unknown) => word === 'true';
  return { flow: String(flow), check: isYes(check), skipBad: isYes(skipBad), dropUnknown: isYes(dropUnknown), ratePerS: Number(ratePerS) };
}

const detailsMost = 100;

export function notRight(report: ImportReport): ApiError {
  const { rows, badRows, unknownColumns, bad } = report;
  const columns = unknownColumns.map(({ column, name, like }) => {
    const message = `is no field of this flow (column ${column})${like === undefined ? '' : `; is it ${like}?`}`;
    return { field: name, message };
  });
  const wrongColumns = columns.length === 1 ? '1 column is no field of this flow' : `${columns.length} columns are no fields of this flow`;
  const said = columns.length > 0 ? wrongColumns : `${badRows} of ${rows} rows are not right`;
  return new ApiError('VALIDATION_ERROR', `Nothing was sent: ${said}`, {
    details: [...columns, ...bad].slice(0, detailsMost),
    errorContext: { report },
  });
}

export type RowLine = Extract<ImportLine, { kind: 'row' }>;

/** The lines of the rows that are never sent: bad ones and duplicates. */
export function notSent({ bad, duplicates }: ImportFile): RowLine[] {
  const { status } = errorCodes.VALIDATION_ERROR;
  const said = ({ problems }: BadRow) => problems.map(({ field, message }) => [field, message].filter(Boolean).join(' ')).join('; ');
  return [
    ...bad.map((row): RowLine => {
      return { kind: 'row', line: row.line, state: 'bad', status, code: 'VALIDATION_ERROR', message: said(row) };
    }),
    ...duplicates.map(({ line, of }): RowLine => {
      return { kind: 'row', line, state: 'duplicate', duplicateOf: of, message: `the same lead as line ${of}` };
    }),
  ];
}

/** The line of a row that was taken in, with the answer that a request of its own would get. */
export function told(line: number, report: LeadReport): RowLine {
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

/** The line of a row that was not taken in, or that may have been. */
export function untaken(line: number, { code, message, extras }: ApiError): RowLine {
  const { leadId } = extras.errorContext ?? {};
  const state = code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'not-sent';
  return { kind: 'row', line, state, status: errorCodes[code].status, code, message, ...(typeof leadId === 'string' && { leadId }) };
}
