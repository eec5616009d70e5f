/** Shows a lead's attempts, oldest first, with the result, who redrove the lead, and why. Each links to its details. */
import { h, keyed, outside, set } from './dom.js';
import { time } from './time.js';
import { badge } from './words.js';

/**
 * @typedef {object} Attempt
 * @property {number} attempt
 * @property {string} startedAt
 * @property {string} [endedAt]
 * @property {string} state
 * @property {string} [by] the key that redrove the lead
 * @property {string} [reason]
 * @property {string[]} [changed] names of the corrected fields
 * @property {{ code: string, message: string }} [error]
 * @property {string} [temporalUrl] its run in the Temporal UI
 *
 * @typedef {{ one: Attempt, href: string, isShown: boolean }} Item
 */

/** @param {string} leadId */
export function attemptList(leadId) {
  const list = h('ol', { class: 'attempts' });
  const box = h('section', { class: 'panel', 'aria-labelledby': 'attempts', hidden: true }, h('h2', { id: 'attempts' }, 'Attempts'), list);

  /** @param {readonly Attempt[]} attempts @param {string} wanted from the address; empty for the newest */
  function show(attempts, wanted) {
    const newest = attempts.at(-1)?.attempt ?? 1;
    const items = attempts.map((one) => ({
      one,
      // The address of the newest attempt has no number, so that a bookmark keeps showing the newest.
      href: one.attempt === newest ? `#/leads/${leadId}` : `#/leads/${leadId}?attempt=${one.attempt}`,
      isShown: String(one.attempt) === (wanted || String(newest)),
    }));
    keyed(list, items, ({ one }) => String(one.attempt), make, fill);
    box.hidden = newest === 1 && !wanted;
  }

  return { box, show };
}

/** @param {Item} item */
function make(item) {
  const element = h('li', {}, h('a', {}, `Attempt ${item.one.attempt}`), h('div', {}));
  fill(element, item);
  return element;
}

/** Updates an item in place, so that its link keeps the focus. @param {HTMLElement} element @param {Item} item */
function fill(element, { one, href, isShown }) {
  const [link, told] = element.children;
  if (!link || !told) return;
  set(link, 'href', href);
  set(link, 'aria-current', isShown ? 'true' : undefined);
  const said = JSON.stringify(one);
  if (element.getAttribute('data-said') === said) return;
  element.setAttribute('data-said', said);
  told.replaceChildren(...linesOf(one));
}

/** @param {Attempt} one */
function linesOf({ attempt, startedAt, state, by, reason, changed = [], error, temporalUrl }) {
  const why = attempt === 1 ? 'Original request' : [`Redriven${by ? ` by ${by}` : ''}`, reason].filter(Boolean).join(': ');
  const lines = [
    h('p', {}, badge(state), ' ', h('span', { class: 'soft' }, time(startedAt))),
    h('p', {}, why),
    changed.length > 0 && h('p', { class: 'soft' }, `Corrected: ${changed.join(', ')}`),
    error && h('p', { class: 'soft' }, error.message),
    temporalUrl && h('p', { class: 'soft' }, outside(temporalUrl, 'Run in Temporal')),
  ];
  return lines.filter((line) => typeof line === 'object');
}
