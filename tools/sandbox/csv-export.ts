/** Writes what a simulator stores as CSV, as the systems export it that cannot be asked for a patient. */
import { text } from '../../src/domain/formats';
import { csvLine } from '../../src/lib/csv';
import type { JsonBody } from './call';
import { fieldOf } from './field-rules';

/** A column, and where its value is if not in the field of that name. */
export type ExportColumn = string | readonly [name: string, path: string];

export function csvExport(columns: readonly ExportColumn[], rows: readonly JsonBody[]): string {
  const pairs = columns.map((column) => (typeof column === 'string' ? ([column, column] as const) : column));
  const lines = rows.map((row) => csvLine(pairs.map(([, path]) => text(fieldOf(row, path)) ?? '')));
  return [csvLine(pairs.map(([name]) => name)), ...lines].join('');
}
