/** Creates the table of fields that a person changed, with the values before and after. */
import { h } from './dom.js';

const ofRedrive = ['Corrected field', 'Previous attempt', 'This attempt'];

/** @param {readonly import('./story.js').Mended[]} mended @param {readonly string[]} [names] the heads of the columns */
export function mendedTable(mended, names = ofRedrive) {
  if (mended.length === 0) return [];
  const heads = names.map((name) => h('th', { scope: 'col' }, name));
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
