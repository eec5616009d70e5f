/** Writes a CSV file for spreadsheets. A cell that looks like a formula is made text. */

const formula = /^[=+\-@＝＋－＠\t\r]/;

/** @param {unknown} value */
function cellOf(value) {
  const text = String(value ?? '');
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/**
 * @template {string} Name
 * @param {readonly Name[]} columns @param {readonly Readonly<Partial<Record<Name, unknown>>>[]} rows
 */
export const csvOf = (columns, rows) =>
  new Blob([[columns.join(','), ...rows.map((row) => columns.map((name) => cellOf(row[name])).join(',')), ''].join('\r\n')], {
    type: 'text/csv',
  });
