/**
 * Adds a checkbox to each row of the list, and links to the bulk orders for the selected leads, or for all that match. This needs a search
 * for failed, parked or waiting leads, because a bulk order is for leads of one state.
 */
import { h, keyed, set, write } from './dom.js';
import { narrowed } from './filter.js';

/**
 * By state: the pages of its orders. One that takes only some fields of the search is for all leads that these match.
 * @typedef {{ page: string, label: (which: string) => string, takes?: string[] }} Order
 * @type {Readonly<Record<string, readonly Order[]>>}
 */
const ordersOf = {
  failed: [{ page: 'redrive', label: (which) => `Send ${which} again …` }],
  parked: [
    { page: 'decide', label: (which) => `Decide ${which} …` },
    { page: 'reconciliations', label: () => 'Compare with the site system …', takes: ['flow', 'since', 'until'] },
  ],
  waiting: [
    { page: 'mend', label: (which) => `Mend ${which} …` },
    { page: 'discard', label: (which) => `Discard ${which} …` },
  ],
};

export function createTicks() {
  let query = new URLSearchParams();
  const orders = h('div', { class: 'orders' });
  /** @type {Set<string>} */
  const chosen = new Set();
  /** @type {Map<string, HTMLInputElement>} */
  const boxes = new Map();
  const all = h('input', { type: 'checkbox', 'aria-label': 'Select all on this page', onchange: () => chooseAll() });
  const head = h('th', { scope: 'col', role: 'columnheader', class: 'tick' }, h('label', {}, all));

  /** The checkboxes of the visible rows. */
  const shown = () => [...boxes].filter(([, box]) => box.isConnected);

  function chooseAll() {
    for (const [id, box] of shown()) mark(id, box, all.checked);
    point();
  }

  /** @param {string} id @param {HTMLInputElement} box @param {boolean} isChosen */
  function mark(id, box, isChosen) {
    box.checked = isChosen;
    if (isChosen) chosen.add(id);
    else chosen.delete(id);
  }

  /** Updates the links: to the selected leads, or to all that match. */
  function point() {
    const which = chosen.size > 0 ? `${chosen.size} selected` : 'all';
    keyed(
      orders,
      ordersOf[query.get('state') ?? ''] ?? [],
      ({ page }) => page,
      (order) => fill(h('a', { class: 'button' }), order),
      fill,
    );

    /** @param {HTMLElement} link @param {Order} order */
    function fill(link, { page, label, takes }) {
      const asked = narrowed(query, takes);
      if (chosen.size > 0 && !takes) asked.set('ids', [...chosen].join(','));
      set(link, 'href', `#/${page}${asked.size > 0 ? `?${asked}` : ''}`);
      write(link, label(which));
      return link;
    }
  }

  return {
    head,
    orders,
    /** True if the leads of this search can be selected. @param {URLSearchParams} next */
    show(next) {
      query = next;
      point();
      return orders.childElementCount > 0;
    },
    /** @param {string} id */
    cell(id) {
      const box = h('input', {
        type: 'checkbox',
        'aria-label': `Select ${id}`,
        onchange: () => {
          mark(id, box, box.checked);
          all.checked = shown().every(([, each]) => each.checked);
          point();
        },
      });
      box.checked = chosen.has(id);
      boxes.set(id, box);
      return h('td', { role: 'cell', class: 'tick' }, h('label', {}, box));
    },
    clear() {
      chosen.clear();
      boxes.clear();
      all.checked = false;
    },
  };
}
