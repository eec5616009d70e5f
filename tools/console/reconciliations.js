/** Shows the page of reconciliations: what they do, a form that counts the leads and then starts one, and the earlier ones. */
import { fullWordsOf, get, newOrder, post, wordsOf } from './api.js';
import { announce, counted, h, keyed, message } from './dom.js';
import { field, queryOf, searchInput, showQuery } from './fields.js';
import { poll } from './poll.js';
import { trailOf, trailRow } from './table.js';
import { time } from './time.js';
import { badge, findingBadge, findings, flows } from './words.js';

/**
 * @typedef {object} Summary
 * @property {string} reconciliationId
 * @property {string} state
 * @property {string} [since] absent until a scheduled one begins, like `until`
 * @property {string} [until]
 * @property {string[]} [flows]
 * @property {string} startedAt
 * @property {string} [endedAt]
 * @property {number} [count] absent until the leads are listed
 * @property {number} [done]
 * @property {Record<string, number>} [counts]
 * @property {string} [by]
 */

export const path = '/api/reconciliations';
const pollMs = 2_500;
const heads = ['Started', 'By', 'Progress', 'Leads from', 'Findings'];
const hourMs = 3_600_000;

/** The hours before now, or a time of its own. */
const times = /** @type {const} */ ([
  ['24', 'the last 24 hours'],
  ['168', 'the last 7 days'],
  ['720', 'the last 30 days'],
  ['', 'another time'],
]);

/** @param {string} id */
export const addressOf = (id) => `#/reconciliations/${id}`;

/** @param {HTMLElement} main @param {URLSearchParams} firstQuery */
export function openReconciliations(main, firstQuery) {
  const problem = h('div', {});
  const { section, show } = startPanel();
  const body = h('tbody', { role: 'rowgroup' });
  const earlier = h('div', { class: 'start', hidden: true }, h('h2', {}, 'Earlier'), trailOf('Reconciliations, newest first', heads, body));
  main.replaceChildren(
    h('h1', {}, 'Reconciliations'),
    h(
      'p',
      { class: 'lead' },
      'A reconciliation asks the site system about each delivered and parked lead: is the person there, once, and with the comment? It sends nothing and changes nothing. The other systems cannot be asked: compare their leads with an export, by ',
      h('code', {}, 'leadgate reconcile --with recruitment=export.csv'),
      ' on your machine.',
    ),
    section,
    problem,
    earlier,
  );

  const polling = poll(pollMs, async (signal) => {
    try {
      /** @type {{ reconciliations: Summary[] }} */
      const { reconciliations } = await get(path, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      earlier.hidden = reconciliations.length === 0;
      keyed(
        body,
        reconciliations,
        ({ reconciliationId }) => reconciliationId,
        rowOf,
        (row, summary) => {
          const said = JSON.stringify(summary);
          if (row.getAttribute('data-said') === said) return;
          const hadFocus = row.contains(document.activeElement);
          row.replaceChildren(...rowOf(summary).childNodes);
          row.setAttribute('data-said', said);
          if (hadFocus) row.querySelector('a')?.focus();
        },
      );
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  });

  show(firstQuery);
  return { close: polling.stop, update: show };
}

/** @param {Summary} summary */
function rowOf(summary) {
  const { reconciliationId, state, startedAt, counts = {} } = summary;
  const found = findings.filter((finding) => (counts[finding] ?? 0) > 0);
  const row = trailRow([
    h('a', { href: addressOf(reconciliationId) }, time(startedAt)),
    starterOf(summary),
    [badge(state), ' ', progressWords(summary)],
    windowWords(summary),
    found.map((finding) => h('span', {}, findingBadge(finding), ` ${(counts[finding] ?? 0).toLocaleString()}`)),
  ]);
  row.setAttribute('data-said', JSON.stringify(summary));
  return row;
}

/** @param {Pick<Summary, 'count' | 'done'>} progress */
export const progressWords = ({ count, done = 0 }) =>
  count === undefined ? 'listing the leads' : `${done.toLocaleString()} of ${counted(count, 'lead')}`;

/** The leads that are compared. @param {Pick<Summary, 'since' | 'until' | 'flows'>} window @returns {import('./dom.js').Child[]} */
export const windowWords = ({ since, until, flows: named }) =>
  since && until ? [time(since), ' to ', time(until), named && `, ${named.join(', ')}`] : ['not chosen yet'];

/** Only a scheduled one has such an id. @param {Pick<Summary, 'reconciliationId' | 'by'>} summary */
export const starterOf = ({ reconciliationId, by = 'local' }) => (reconciliationId.startsWith('s-') ? 'the schedule' : by);

/** A form that counts the leads of a time, and then starts a reconciliation of them. */
function startPanel() {
  const last = h('select', { id: 'reconcile-last' }, ...times.map(([hours, words]) => h('option', { value: hours }, words)));
  const ends = [
    { name: 'since', label: 'From', type: 'datetime-local', input: searchInput({ id: 'reconcile-since', type: 'datetime-local' }) },
    {
      name: 'until',
      label: 'To (optional)',
      type: 'datetime-local',
      input: searchInput({ id: 'reconcile-until', type: 'datetime-local' }),
    },
  ];
  const boxes = ends.map(({ label, input }) => field(label, input));
  const named = flows.map((flow) => ({ flow, input: h('input', { type: 'checkbox' }) }));
  const answer = h('div', { class: 'start', 'aria-live': 'polite' });
  const count = h('button', { class: 'primary' }, 'Count');
  let closing = new AbortController();

  function forget() {
    closing.abort();
    closing = new AbortController();
    answer.replaceChildren();
    count.disabled = false;
    const isOther = last.value === '';
    for (const box of boxes) box.hidden = !isOther;
    for (const { input, name } of ends) input.required = isOther && name === 'since';
  }

  function orderOf() {
    const chosen = named.flatMap(({ flow, input }) => (input.checked ? [flow] : []));
    const hours = Number(last.value);
    const window = hours ? { since: new Date(Date.now() - hours * hourMs).toISOString() } : Object.fromEntries(queryOf(ends));
    return { ...window, ...(chosen.length > 0 && { flows: chosen }) };
  }

  /** @param {SubmitEvent} event */
  async function countThem(event) {
    event.preventDefault();
    forget();
    const { signal } = closing;
    const order = orderOf();
    count.disabled = true;
    answer.replaceChildren(h('p', { class: 'soft' }, 'Counting …'));
    const told = await post(path, { ...order, dryRun: true }).then(
      (/** @type {{ count: number }} */ { count: found }) =>
        found > 0 ? startForm(order, found) : message('note', 'No delivered or parked lead is in this time.'),
      (error) => message('bad', fullWordsOf(error)),
    );
    if (signal.aborted) return;
    answer.replaceChildren(told);
    count.disabled = false;
  }

  /** @param {URLSearchParams} query */
  function show(query) {
    const isOther = query.has('since') || query.has('until');
    last.value = isOther ? '' : '168';
    showQuery(ends, query);
    for (const { flow, input } of named) input.checked = query.get('flow') === flow;
    forget();
  }

  const section = h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Choose the leads'),
    h(
      'form',
      { class: 'start', onsubmit: countThem, onchange: forget },
      h('div', { class: 'fields' }, field('Received or redriven in', last), ...boxes),
      h(
        'fieldset',
        {},
        h('legend', { class: 'soft' }, 'Only these flows; none for every flow'),
        h('div', { class: 'choices' }, ...named.map(({ flow, input }) => h('label', { class: 'choice' }, input, flow))),
      ),
      h('div', { class: 'actions' }, count),
    ),
    answer,
  );
  return { section, show };
}

/** @param {object} window @param {number} found */
function startForm(window, found) {
  const order = newOrder();
  const problem = h('div', {});
  const start = h('button', { class: 'primary' }, `Compare ${counted(found, 'lead')}`);

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    start.disabled = true;
    try {
      const { reconciliationId } = await post(path, window, order);
      announce('The reconciliation has started');
      location.hash = addressOf(reconciliationId);
    } catch (error) {
      problem.replaceChildren(message('bad', fullWordsOf(error)));
      start.disabled = false;
    }
  }

  return h(
    'form',
    { class: 'start', onsubmit: submit },
    h('p', {}, h('b', {}, `${counted(found, 'delivered or parked lead')} ${found === 1 ? 'is' : 'are'} in this time.`)),
    problem,
    h('div', { class: 'actions' }, start),
  );
}
