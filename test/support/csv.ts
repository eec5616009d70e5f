/** Writes CSV files of leads for imports. */
import { csvLine } from '../../src/lib/csv';

/** Leads as a spreadsheet writes them: the first row names the fields of the first one. */
export function csvOf(leads: readonly Record<string, unknown>[], delimiter = ','): string {
  const names = Object.keys(leads[0] ?? {});
  const rows = [names, ...leads.map((lead) => names.map((name) => String(lead[name] ?? '')))];
  if (delimiter === ',') return rows.map(csvLine).join('');
  return rows.map((cells) => `${cells.join(delimiter)}\n`).join('');
}
