/** Shows the page of the upstreams with their states, and pauses and resumes them. */
import { get, post, Refused, wordsOf } from './api.js';
import { openDialog } from './dialog.js';
import { h, keyed, message } from './dom.js';
import { poll } from './poll.js';
import { ageOf, grow, time } from './time.js';
import { changesTable, nameOf } from './upstream-changes.js';
import { badge } from './words.js';

/**
 * @typedef {object} Upstream
 * @property {string} upstream
 * @property {string} [instance]
 * @property {string} state
 * @property {string} [since]
 * @property {string} [by]
 * @property {string} [reason]
 * @property {number} [failures] absent, like `waiting`, if no worker reports it
 * @property {number} [waiting]
 * @property {string} [nextProbeAt]
 * @property {string} [lastError]
 * @property {string} [leadId] the lead that failed last
 * @property {boolean} [sandbox]
 */

const pollMs = 2_500;
/** It receives no leads, so it cannot be paused. */
const taskBoard = 'task-board';

/** @type {Record<string, string>} */
const means = {
  open: 'Receives leads',
  held: 'It failed for different leads: its leads wait and are not sent',
  probing: 'One lead at a time is sent until it answers',
  draining: 'It answers again: the waiting leads are being sent',
  paused: 'Its leads wait and are not sent until it is resumed',
};

/** @param {HTMLElement} main */
export function openUpstreams(main) {
  const problem = h('div', {});
  const done = h('div', { role: 'status' });
  const list = h('ul', { class: 'cards' });
  const empty = h(
    'div',
    { class: 'empty', hidden: true },
    h('p', {}, 'No upstream has been used yet.'),
    h('p', {}, 'Each appears here with its first lead.'),
  );
  const past = h('div', { class: 'start' });
  main.replaceChildren(
    h('h1', {}, 'Upstreams'),
    h(
      'p',
      { class: 'lead' },
      'An upstream that fails for three different leads in a row is held: its leads wait and are sent when it answers again. You can also pause an upstream.',
    ),
    problem,
    done,
    list,
    empty,
    past,
  );
  let pastSeen = '';

  /** @param {string} words */
  function changed(words) {
    done.replaceChildren(message('good', words));
    polling.now();
  }

  const polling = poll(pollMs, async (signal) => {
    try {
      /** @type {{ upstreams: Upstream[], changes: import('./upstream-changes.js').PastChange[] }} */
      const { upstreams, changes } = await get('/api/upstreams', signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      empty.hidden = upstreams.length > 0;
      const card = (/** @type {Upstream} */ upstream) => cardOf(upstream, changed);
      keyed(list, upstreams, nameOf, card, (shown, upstream) => {
        if (shown.getAttribute('data-said') === JSON.stringify(upstream)) return;
        const hadFocus = shown.contains(document.activeElement);
        shown.replaceChildren(...card(upstream).childNodes);
        if (hadFocus) shown.querySelector('button')?.focus();
        shown.setAttribute('data-said', JSON.stringify(upstream));
      });
      grow(list);
      const pastSaid = JSON.stringify(changes);
      if (pastSaid !== pastSeen) past.replaceChildren(...changesTable(changes));
      pastSeen = pastSaid;
    } catch (error) {
      if (signal.aborted) return;
      const isMissing = error instanceof Refused && error.status === 404;
      problem.replaceChildren(message('bad', isMissing ? 'This gateway does not report its upstreams.' : wordsOf(error)));
    }
  });
  return { close: polling.stop };
}

/** @param {Upstream} upstream @param {(done: string) => void} changed */
function cardOf(upstream, changed) {
  const { state, since, by, reason, failures, waiting, nextProbeAt, lastError, leadId, sandbox } = upstream;
  const isBoard = upstream.upstream === taskBoard;
  /** @type {[string, Node | string | false | undefined][]} */
  const facts = [
    ['Since', since && ageOf(since)],
    ['Paused by', by],
    ['Failures in a row', failures ? String(failures) : undefined],
    ['Leads waiting', waiting === undefined ? 'Unknown: no worker answers' : waiting.toLocaleString()],
    ['Next try', nextProbeAt && time(nextProbeAt)],
    ['Failed last', leadId && h('a', { href: `#/leads/${leadId}` }, leadId)],
  ];
  return h(
    'li',
    { class: 'panel', 'data-said': JSON.stringify(upstream) },
    h('div', { class: 'title' }, h('h2', {}, nameOf(upstream)), badge(state), sandbox && badge('sandbox')),
    h('p', { class: 'soft' }, isBoard ? 'Answers calls; receives no leads' : means[state]),
    !isBoard && h('dl', { class: 'facts' }, ...facts.map(([name, value]) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    (reason || lastError) && h('p', { class: 'why' }, reason || lastError),
    !isBoard && h('div', { class: 'actions' }, changeButton(upstream, changed)),
  );
}

/** @typedef {{ label: string, means: string, done: string }} Change */

/** @type {Record<'pause' | 'resume', Change>} */
const changes = {
  pause: {
    label: 'Pause',
    means: 'Its leads wait until the upstream is resumed or they expire. Requests in flight are not stopped.',
    done: 'is paused: no further lead is sent to it',
  },
  resume: { label: 'Resume', means: 'Its waiting leads are sent.', done: 'is no longer paused' },
};

/** @param {Upstream} about @param {(done: string) => void} changed */
function changeButton(about, changed) {
  const { upstream, instance, state } = about;
  const verb = state === 'paused' ? 'resume' : 'pause';
  const { label, means, done } = changes[verb];
  const name = nameOf(about);
  const ask = () =>
    openDialog({
      title: `${label} ${name}`,
      means,
      label,
      inputs: [{ name: 'reason', label: 'Reason', long: true }],
      act: async ({ reason }, order) => {
        await post(`/api/upstreams/${verb}`, { upstream, instance, reason }, order);
        changed(`${name} ${done}`);
      },
    });
  return h('button', { type: 'button', 'aria-label': `${label} … ${name}`, onclick: ask }, `${label} …`);
}
