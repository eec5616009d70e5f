/** The page of the upstreams: whether each takes leads or is held, and since when. */
import { get, Refused, wordsOf } from './api.js';
import { h, keyed, message } from './dom.js';
import { poll } from './poll.js';
import { ageOf, grow, time } from './time.js';
import { badge } from './words.js';

/**
 * @typedef {object} Upstream
 * @property {string} upstream
 * @property {string} [instance]
 * @property {string} state
 * @property {string} [since]
 * @property {number} failures
 * @property {number} waiting
 * @property {string} [nextProbeAt]
 * @property {string} [lastError]
 */

const pollMs = 2_500;

/** @type {Record<string, string>} */
const means = {
  open: 'Takes leads',
  held: 'It failed again and again: its leads wait, unsent and safe',
  probing: 'One lead at a time is let through until it answers',
  draining: 'It answers again: the leads that waited are being sent',
};

/** @param {HTMLElement} main */
export function openUpstreams(main) {
  const problem = h('div', {});
  const list = h('ul', { class: 'cards' });
  const empty = h(
    'div',
    { class: 'empty', hidden: true },
    h('p', {}, 'No upstream has been asked yet.'),
    h('p', {}, 'They appear here with the first lead that goes to each.'),
  );
  main.replaceChildren(
    h('h1', {}, 'Upstreams'),
    h(
      'p',
      { class: 'lead' },
      'An upstream that fails again and again is held: its leads wait unsent, and go out by themselves when it answers.',
    ),
    problem,
    list,
    empty,
  );

  const polling = poll(pollMs, async (signal) => {
    try {
      /** @type {{ upstreams: Upstream[] }} */
      const { upstreams } = await get('/api/upstreams', signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      empty.hidden = upstreams.length > 0;
      keyed(list, upstreams, nameOf, cardOf, (card, upstream) => {
        if (card.getAttribute('data-said') === JSON.stringify(upstream)) return;
        const next = cardOf(upstream);
        card.replaceChildren(...next.childNodes);
        card.setAttribute('data-said', JSON.stringify(upstream));
      });
      grow(list);
    } catch (error) {
      if (signal.aborted) return;
      const isMissing = error instanceof Refused && error.status === 404;
      problem.replaceChildren(message('bad', isMissing ? 'This gateway does not tell how its upstreams are.' : wordsOf(error)));
    }
  });
  return { close: polling.stop };
}

/** @param {Upstream} upstream */
const nameOf = ({ upstream, instance }) => (instance ? `${upstream} · ${instance}` : upstream);

/** @param {Upstream} upstream */
function cardOf(upstream) {
  const { state, since, failures, waiting, nextProbeAt, lastError } = upstream;
  /** @type {[string, Node | string][]} */
  const facts = [
    ['Failures in a row', String(failures)],
    ['Leads waiting', waiting.toLocaleString()],
  ];
  if (since) facts.unshift(['Since', ageOf(since)]);
  if (nextProbeAt) facts.push(['Next try', time(nextProbeAt)]);
  return h(
    'li',
    { class: 'panel', 'data-said': JSON.stringify(upstream) },
    h('div', { class: 'title' }, h('h2', {}, nameOf(upstream)), badge(state)),
    h('p', { class: 'soft' }, means[state] ?? ''),
    h('dl', { class: 'facts' }, ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    lastError && h('p', { class: 'why' }, lastError),
  );
}
