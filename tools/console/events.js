/** Shows the events of a lead and their deliveries, with a button that sends them again. */
import { get, leadPath, post, wordsOf } from './api.js';
import { announce, h } from './dom.js';
import { time } from './time.js';

/**
 * @typedef {{ receiver: string, state: string, tries: number, answer?: string }} Delivery
 * @typedef {{ id: string, type: string, timestamp: string, deliveries: Delivery[] }} LeadEvent
 */

/** @param {string} leadId */
export function eventPanel(leadId) {
  const path = `${leadPath(leadId)}/events`;
  const list = h('ul', {});
  const again = h('button', { type: 'button', class: 'plain', 'aria-label': 'Send again to your tools', onclick: sendAgain }, 'Send again');
  const box = h(
    'section',
    { class: 'panel', 'aria-labelledby': 'events', hidden: true },
    h('div', { class: 'title' }, h('h2', { id: 'events' }, 'Events sent to your tools'), again),
    list,
    h('div', { class: 'actions' }, h('a', { href: `#/events?leadId=${encodeURIComponent(leadId)}` }, 'All deliveries')),
  );
  let seen = '';

  async function sendAgain() {
    again.disabled = true;
    announce(
      await post(path, {}).then(
        ({ count }) => `Sending ${count} events again`,
        (error) => wordsOf(error),
      ),
    );
    again.disabled = false;
  }

  /** A lead without events has no panel. If the request fails, the panel stays unchanged. @param {AbortSignal} signal */
  async function refresh(signal) {
    /** @type {{ events: LeadEvent[] }} */
    const { events } = await get(path, signal);
    const now = JSON.stringify(events);
    if (now === seen) return;
    seen = now;
    box.hidden = events.length === 0;
    list.replaceChildren(...events.flatMap(linesOf));
  }

  return { box, refresh };
}

/** @param {LeadEvent} event */
const linesOf = ({ type, timestamp, deliveries }) =>
  deliveries.map(({ receiver, state, tries, answer }) =>
    h(
      'li',
      {},
      `${type.replace('lead.', '')} · ${receiver}: ${state === 'given-up' ? 'given up' : state} `,
      h('span', { class: 'soft' }, time(timestamp), answer && ` · ${answer}`, tries > 1 && ` · ${tries} tries`),
    ),
  );
