/** Shows the page for a URL that names no page. */
import { h } from './dom.js';

/** @param {HTMLElement} main */
export function openNoPage(main) {
  main.replaceChildren(h('h1', {}, 'Page not found'), h('p', {}, 'Check the address. ', h('a', { href: '#/leads' }, 'All leads')));
  return { close: () => {} };
}
