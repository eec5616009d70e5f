/** The page for an unknown address. */
import { h } from './dom.js';

/** @param {HTMLElement} main */
export function openNoPage(main) {
  main.replaceChildren(
    h('h1', {}, 'There is no such page'),
    h('p', {}, 'Perhaps the address was mistyped or cut off. ', h('a', { href: '#/leads' }, 'All leads')),
  );
  return { close: () => {} };
}
