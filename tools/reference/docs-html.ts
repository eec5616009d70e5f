/** Builds the HTML elements of the reference pages, and escapes every value. */
import { escapeHtml } from '../../src/domain/html';

export const text = (value: unknown): string => escapeHtml(String(value ?? ''));
export const anchor = (value: string): string => value.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Allows a long name to break only between its words. */
export const name = (value: string): string => text(value).replaceAll(/[/_.-](?=[\w{])|[a-z](?=[A-Z])/g, '$&<wbr>');
export const code = (value: string): string => `<code>${name(value)}</code>`;
export const block = (value: string): string => `<div class="block"><pre>${text(value)}</pre></div>`;
export const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  const head = heads.map((one) => `<th scope="col">${text(one)}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${cells.join('')}</tbody></table>`;
};
