/** HTML pieces of the reference page. They escape every value. */
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const text = (value: unknown): string => String(value ?? '').replace(/[&<>"']/g, (character) => escapes[character] ?? '');
export const code = (value: unknown): string => `<code>${text(value)}</code>`;
export const anchor = (value: string): string => value.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  const head = heads.map((name) => `<th scope="col">${text(name)}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${cells.join('')}</tbody></table>`;
};
