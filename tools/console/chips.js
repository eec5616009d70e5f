/** Creates a row of links, each with a count, that filter a list. */
import { h, keyed, set, write } from './dom.js';

/**
 * @typedef {object} Chip
 * @property {string} key
 * @property {import('./dom.js').Child[]} said before the count
 * @property {string} [means]
 * @property {string} href
 * @property {boolean} isChosen
 * @property {number} count
 */

/** @param {string} label @param {string} [more] a class */
export function createChips(label, more = '') {
  const list = h('ul', { class: `chips ${more}`.trim(), 'aria-label': label });

  /** @param {Chip} chip */
  function make(chip) {
    const item = h('li', {}, h('a', { title: chip.means }, ...chip.said, ' ', h('b')));
    fill(item, chip);
    return item;
  }

  /** @param {HTMLElement} item @param {Chip} chip */
  function fill(item, { href, isChosen, count }) {
    const [link] = item.getElementsByTagName('a');
    const [number] = item.getElementsByTagName('b');
    if (link) set(link, 'href', href);
    if (link) set(link, 'aria-current', isChosen ? 'true' : undefined);
    if (number) write(number, count.toLocaleString());
  }

  return {
    list,
    /** @param {readonly Chip[]} chips */
    show: (chips) => keyed(list, chips, ({ key }) => key, make, fill),
  };
}
