/** Creates tables: one that scrolls within the page, and one that becomes a list on a phone. Also creates links to leads. */
import { h } from './dom.js';

/**
 * @param {string} name @param {readonly string[]} heads
 * @param {readonly (readonly (import('./dom.js').Child | import('./dom.js').Child[])[])[]} rows
 */
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

/**
 * A table whose rows become a list on a phone. It sets the roles explicitly, because browsers drop them there.
 * @param {string} name @param {readonly string[]} heads @param {HTMLElement} body
 */
export const trailOf = (name, heads, body) =>
  h(
    'table',
    { class: 'trail', role: 'table' },
    h('caption', { class: 'unseen' }, name),
    h(
      'thead',
      { role: 'rowgroup' },
      h('tr', { role: 'row' }, ...heads.map((head) => h('th', { scope: 'col', role: 'columnheader' }, head))),
    ),
    body,
  );

/** @param {readonly (import('./dom.js').Child | import('./dom.js').Child[])[]} cells */
export const trailRow = (cells) =>
  h('tr', { role: 'row' }, ...cells.map((content, at) => h('td', { role: 'cell', class: `t${at}` }, content)));

/** @param {unknown} one a lead, or its id */
export function leadLink(one) {
  const id = typeof one === 'object' && one !== null && 'leadId' in one ? String(one.leadId) : String(one);
  return h('a', { href: `#/leads/${id}`, class: 'id' }, id);
}
