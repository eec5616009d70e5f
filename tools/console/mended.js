/** Creates the table of fields that a redrive corrected, with the values in the previous and in this attempt. */
import { h } from './dom.js';

/** @param {readonly import('./story.js').Mended[]} mended */
export function mendedTable(mended) {
  if (mended.length === 0) return [];
  const heads = ['Corrected field', 'Previous attempt', 'This attempt'].map((name) => h('th', { scope: 'col' }, name));
  const rows = mended.map(({ field, before, after }) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, field),
      h('td', {}, h('del', {}, written(before))),
      h('td', {}, h('ins', {}, afterOf(written(before), written(after)))),
    ),
  );
  return [h('table', { class: 'mended' }, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows))];
}

/** Masked values may look alike, although the field was changed. @param {string} before @param {string} after */
const afterOf = (before, after) => (before === after ? `${after} (another value)` : after);

/** @param {unknown} value */
const written = (value) =>
  value === undefined || value === null || value === '' ? '(empty)' : typeof value === 'string' ? value : JSON.stringify(value);
