/** Shows the page of the deliveries of events over all leads, and sends single events, or all that failed, again. */
import { get, leadPath, post, wordsOf } from './api.js';
import { announce, h, message } from './dom.js';
import { deliveryFields, filterForm, narrowed } from './filter.js';
import { leadLink, trailOf, trailRow } from './table.js';
import { time } from './time.js';
import { badge } from './words.js';

/**
 * @typedef {object} Delivery
 * @property {string} eventId
 * @property {string} type
 * @property {string} timestamp
 * @property {string} leadId
 * @property {string} receiver
 * @property {string} state
 * @property {number} tries
 * @property {string} [answer]
 */

const pageSize = 50;
const heads = ['When', 'Receiver', 'Event', 'Lead', 'Result'];
const names = deliveryFields.map(([name]) => name);

/** @param {URLSearchParams} query */
const addressOf = (query) => `#/events${query.size > 0 ? `?${query}` : ''}`;

/** @param {HTMLElement} main @param {URLSearchParams} query */
export function openDeliveries(main, query) {
  let closing = new AbortController();
  const problem = h('div', {});
  const body = h('tbody', { role: 'rowgroup' });
  const empty = h(
    'div',
    { class: 'empty', hidden: true },
    h('p', {}, 'No delivery matches.'),
    h('p', {}, 'A lead has events if a receiver was set when it was accepted.'),
  );
  const older = h('button', { type: 'button', hidden: true, onclick: () => void read() }, 'Older');
  const failed = h('a', { class: 'button' }, 'Send all that failed again …');
  const table = trailOf('Deliveries of events', heads, body);
  table.hidden = true;
  const { form, show } = filterForm((asked) => (location.hash = addressOf(asked)), {
    of: deliveryFields,
    first: names,
  });
  main.replaceChildren(
    h('div', { class: 'title' }, h('h1', {}, 'Events'), failed),
    h('p', { class: 'lead' }, 'What your tools were told about leads. The lead whose events were posted last comes first.'),
    form,
    problem,
    table,
    empty,
    h('div', { class: 'actions' }, older),
  );
  /** @type {string | undefined} */
  let next;

  /** Reads on until something matches: the gateway ends a page early if few deliveries do. */
  async function read() {
    const { signal } = closing;
    older.disabled = true;
    const asked = narrowed(query, names);
    asked.set('limit', String(pageSize));
    try {
      /** @type {{ deliveries: Delivery[], nextCursor?: string }} */
      let answer;
      do {
        if (next) asked.set('cursor', next);
        answer = await get(`/api/events?${asked}`, signal);
        if (signal.aborted) return;
        next = answer.nextCursor;
      } while (answer.deliveries.length === 0 && next);
      problem.replaceChildren();
      body.append(...answer.deliveries.map(rowOf));
      table.hidden = body.children.length === 0;
      empty.hidden = !table.hidden;
      older.hidden = !next;
      announce(`${body.children.length} deliveries`);
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
    older.disabled = false;
  }

  /** @param {Delivery} delivery */
  function rowOf(delivery) {
    const { eventId, type, timestamp, leadId, receiver, state, tries, answer } = delivery;
    const again = h(
      'button',
      { type: 'button', class: 'plain small', 'aria-label': `Send again: ${eventId} to the ${receiver}`, onclick: () => void sendAgain() },
      'Send again',
    );
    const row = trailRow([
      time(timestamp),
      receiver,
      type,
      leadLink(leadId),
      [badge(state), h('span', {}, [answer, tries > 1 && `${tries} tries`].filter(Boolean).join(' · ')), again],
    ]);

    async function sendAgain() {
      again.disabled = true;
      try {
        await post(`${leadPath(leadId)}/events/${encodeURIComponent(eventId)}/resend`, { receiver });
        /** @type {{ deliveries: Delivery[] }} */
        const { deliveries } = await get(`/api/events?${new URLSearchParams({ leadId, type, receiver })}`);
        const now = deliveries.find((each) => each.eventId === eventId);
        if (now) row.replaceWith(rowOf(now));
        announce(`Sending ${type} again`);
      } catch (error) {
        problem.replaceChildren(message('bad', wordsOf(error)));
        again.disabled = false;
      }
    }

    return row;
  }

  /** @param {URLSearchParams} wanted */
  function update(wanted) {
    closing.abort();
    closing = new AbortController();
    query = wanted;
    next = undefined;
    body.replaceChildren();
    const order = narrowed(query, ['type', 'receiver', 'since', 'until']);
    failed.href = `#/resend${order.size > 0 ? `?${order}` : ''}`;
    show(query);
    void read();
  }

  update(query);
  return { close: () => closing.abort(), update };
}
