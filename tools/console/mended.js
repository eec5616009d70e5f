/** The table of what a redrive changed: each field as it was in the attempt before, and as it is in this one. */
import { h } from './dom.js';

/** @param {readonly import('./story.js').Mended[]} mended */
export function mendedTable(mended) {
  if (mended.length === 0) return [];
  const heads = ['Mended field', 'In the attempt before', 'In this attempt'].map((name) => h('th', { scope: 'col' }, name));
  const rows = mended.map(({ field, before, after }) =>
    h('tr', {}, h('th', { scope: 'row' }, field), h('td', {}, h('del', {}, written(before))), h('td', {}, h('ins', {}, written(after)))),
  );
  return [h('table', { class: 'mended' }, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows))];
}

/** @param {unknown} value */
const written = (value) =>
  value === undefined || value === null || value === '' ? '(empty)' : typeof value === 'string' ? value : JSON.stringify(value);
