/** Writes the page of a copy: one table that a person reads and prints, without a script, and without a request to anywhere. */
import { escapeHtml } from '../../src/domain/html';
import type { About } from './manifest';

const style = `
:root { color-scheme: light; }
body { margin: 1.5rem; font: 13px/1.4 system-ui, sans-serif; color: #111; background: #fff; }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; }
dt { color: #444; }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; min-width: 60rem; border-collapse: collapse; table-layout: fixed; }
th, td { padding: .25rem .4rem; border: 1px solid #999; text-align: left; vertical-align: top; overflow-wrap: anywhere; white-space: pre-wrap; }
th { background: #eee; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.content { font: 11px/1.4 ui-monospace, monospace; }
p { margin: 1rem 0 0; }
@page { size: A4 landscape; margin: 10mm; }
@media print {
  body { margin: 0; font-size: 8pt; }
  td.content { font-size: 6.5pt; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  tr.long { break-inside: auto; }
  th, td { padding: .15rem .3rem; }
}
`.trim();

export interface PageColumn {
  readonly title: string;
  /** Share of the table's width. */
  readonly width: number;
  /** A time stays on one line. */
  readonly isTime?: true;
}

const titles: Readonly<Record<About['what'], string>> = { 'audit trail': 'Audit trail', 'lead dossier': 'Dossier of a lead' };

const factsOf = ({ since, until, leadId, clear, service, madeAt, madeBy, who }: About, fingerprint: string): [string, string][] => [
  ...(leadId === undefined ? [] : [['Lead', leadId] satisfies [string, string]]),
  ['Period', `${since ?? 'from the beginning'} to ${until}`],
  ['Personal data', clear ? 'in clear' : 'masked'],
  ['Service', service],
  ['Made', `${madeAt} by ${madeBy}${who === undefined ? '' : `, with the key of ${who}`}`],
  ['Signed with', `the Ed25519 key with the fingerprint ${fingerprint}`],
];

const numbers: PageColumn = { title: 'No.', width: 4 };

export function pageHead(about: About, columns: readonly PageColumn[], fingerprint: string): string {
  const all = [numbers, ...columns];
  const total = all.reduce((sum, { width }) => sum + width, 0);
  const facts = factsOf(about, fingerprint).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const widths = all.map(({ width }) => `<col style="width:${((100 * width) / total).toFixed(1)}%">`);
  const title = titles[about.what];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${style}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl>
${facts.join('\n')}
</dl>
<table>
<colgroup>${widths.join('')}</colgroup>
<thead><tr>${all.map(({ title: head }) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
`;
}

/** Text that may be taller than a sheet of paper. */
const isLong = (text: string): boolean => text.length > 2_000;

/** `content` gets a row of its own, as wide as the table. */
export function pageRow(number: number, columns: readonly PageColumn[], cells: readonly string[], content = ''): string {
  const written = cells.map((cell, at) => `<td${columns[at]?.isTime ? ' class="time"' : ''}>${escapeHtml(cell)}</td>`).join('');
  if (content === '') return `<tr><td>${number}</td>${written}</tr>\n`;
  const below = `<tr${isLong(content) ? ' class="long"' : ''}><td class="content" colspan="${columns.length}">${escapeHtml(content)}</td></tr>`;
  return `<tr><td rowspan="2">${number}</td>${written}</tr>\n${below}\n`;
}

export const pageEnd = (entries: number): string => `</tbody>
</table>
<p>End of the copy: ${entries} ${entries === 1 ? 'entry' : 'entries'}. All times are in UTC. entries.jsonl has every field of each entry.</p>
</main>
</body>
</html>
`;
