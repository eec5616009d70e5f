/** Converts between the fields of a form and URL query parameters. A time is local in the form and UTC in the URL. */
import { h } from './dom.js';
import { forInput } from './time.js';

/** @typedef {{ name: string, type: string, input: HTMLInputElement | HTMLSelectElement }} Control */

/** @param {string} label @param {HTMLElement} input */
export const field = (label, input) => h('div', { class: 'field' }, h('label', { for: input.id }, label), input);

/** A search input. A time may have seconds, because an address may. @param {{ id: string, name?: string, type: string }} given */
export const searchInput = (given) =>
  h('input', { ...given, autocomplete: 'off', spellcheck: 'false', step: given.type === 'datetime-local' && 'any' });

/** The values of these controls that are not empty. @param {readonly Control[]} controls */
export function queryOf(controls) {
  const query = new URLSearchParams();
  for (const { name, type, input } of controls) {
    const value = input.value.trim();
    if (value) query.set(name, type === 'datetime-local' ? new Date(value).toISOString() : value);
  }
  return query;
}

/** @param {readonly Control[]} controls @param {URLSearchParams} query */
export function showQuery(controls, query) {
  for (const { name, type, input } of controls) {
    const value = query.get(name) ?? '';
    const written = type === 'datetime-local' ? forInput(value) : value;
    if (input.value !== written) input.value = written;
  }
}
