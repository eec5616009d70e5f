/** A table that scrolls in its place, so that a wide or long one does not stretch the page, and the link to a lead in it. */
import { h } from './dom.js';

/** @param {string} name @param {readonly string[]} heads @param {readonly (readonly (import('./dom.js').Child | import('./dom.js').Child[])[])[]} rows */
export const tableOf = (name, heads, rows) =>
  h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
    h(
      'table',
      {},
      h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, ...rows.map((cells) => h('tr', {}, ...cells.map((cell) => h('td', {}, cell))))),
    ),
  );

/** @param {unknown} one a lead, or its id */
export function leadLink(one) {
  const id = typeof one === 'object' && one !== null && 'leadId' in one ? String(one.leadId) : String(one);
  return h('a', { href: `#/leads/${id}`, class: 'id' }, id);
}
