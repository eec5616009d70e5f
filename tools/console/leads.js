/** Shows the list of leads, newest first, one page at a time. It refreshes while it is visible. */
import { get, wordsOf } from './api.js';
import { createChips } from './chips.js';
import { announce, h, keyed, message, write } from './dom.js';
import { exportButton } from './export.js';
import { fields, filterForm, narrowed } from './filter.js';
import { createGroups } from './groups.js';
import { cellsOf, fillRow, heads } from './lead-cells.js';
import { poll } from './poll.js';
import { createStuckRuns } from './stuck-runs.js';
import { createTicks } from './ticks.js';
import { grow } from './time.js';
import { allBadge, badge, meaningOf, states } from './words.js';

/**
 * @typedef {object} Lead
 * @property {string} leadId
 * @property {string} flow
 * @property {string} state
 * @property {string} [step]
 * @property {string} [site]
 * @property {string} [studyId]
 * @property {string} [protocol]
 * @property {string} [reference]
 * @property {string} [restored]
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string} [code]
 * @property {string} [upstream]
 *
 * @typedef {object} Counts
 * @property {Record<string, number>} counts
 * @property {import('./groups.js').Group[]} groups
 * @property {import('./stuck-runs.js').StuckRuns} [stuckRuns]
 */

const pollMs = 2_500;
const pageSize = 50;
const searched = ['state', ...fields.map(([name]) => name)];

/** @param {URLSearchParams} query */
const addressOf = (query) => `#/leads${query.size > 0 ? `?${query}` : ''}`;

/** The last address of the list, for the link back from a lead. */
export const left = { address: '#/leads' };

/** @param {HTMLElement} main @param {URLSearchParams} firstQuery */
export function openLeads(main, firstQuery) {
  let query = firstQuery;
  left.address = addressOf(query);
  const chips = createChips('Leads by state');
  const groups = createGroups(addressOf);
  const stuck = createStuckRuns();
  const problem = h('div', {});
  const newer = h('button', { type: 'button', class: 'newer', hidden: true, onclick: () => take() });
  const body = h('tbody', { role: 'rowgroup' });
  const empty = h('div', { class: 'empty', hidden: true });
  const newest = h('a', { class: 'button', hidden: true }, 'Newest');
  const older = h('a', { class: 'button', hidden: true }, 'Older');
  const ticks = createTicks();
  const table = h(
    'table',
    { class: 'leads', role: 'table' },
    h('caption', { class: 'unseen' }, 'Leads, newest first'),
    h(
      'thead',
      { role: 'rowgroup' },
      h('tr', { role: 'row' }, ...heads.map((name) => h('th', { scope: 'col', role: 'columnheader' }, name)), ticks.head),
    ),
    body,
  );

  const { form, show } = filterForm((asked) => {
    const state = query.get('state');
    if (state) asked.set('state', state);
    location.hash = addressOf(asked);
  });

  /** The newest answer, held back while a person reads the list. @type {Lead[] | undefined} */
  let held;
  /** The counts that are shown. @type {Counts | undefined} */
  let told;

  const csv = exportButton(() => narrowed(query, searched));

  main.replaceChildren(
    h('div', { class: 'title' }, h('h1', {}, 'Leads'), ticks.orders),
    stuck.place,
    chips.list,
    groups.list,
    form,
    problem,
    newer,
    table,
    empty,
    h('nav', { class: 'actions', 'aria-label': 'Pages' }, newest, older, csv.button),
    csv.problem,
  );

  /** True while a person reads or points at the list. Then no row moves. */
  function isRead() {
    const selection = getSelection();
    const isSelected = Boolean(selection && !selection.isCollapsed && selection.anchorNode && body.contains(selection.anchorNode));
    return isSelected || body.contains(document.activeElement) || body.matches(':hover');
  }

  /** @param {Lead[]} leads */
  function render(leads) {
    const shown = [...body.children].map((row) => row.getAttribute('data-key'));
    const isSame = leads.length === shown.length && leads.every(({ leadId }, at) => leadId === shown[at]);
    if (isSame || shown.length === 0 || !isRead()) return draw(leads);
    const byId = new Map(leads.map((lead) => [lead.leadId, lead]));
    for (const row of body.children) {
      const lead = byId.get(row.getAttribute('data-key') ?? '');
      row.classList.toggle('gone', !lead);
      if (lead) fillRow(row, lead);
    }
    held = leads;
    const added = leads.filter(({ leadId }) => !shown.includes(leadId)).length;
    write(newer, added > 0 ? `Show ${added} new` : 'Show the changed list');
    newer.hidden = false;
  }

  /** @param {Lead[]} leads */
  function draw(leads) {
    held = undefined;
    newer.hidden = true;
    keyed(body, leads, ({ leadId }) => leadId, rowOf, fillRow);
    table.hidden = leads.length === 0;
    empty.hidden = leads.length > 0;
    if (leads.length === 0) empty.replaceChildren(...nothingHere(query));
  }

  function take() {
    if (held) draw(held);
    body.querySelector('a')?.focus();
  }

  /** @param {Lead} lead */
  function rowOf(lead) {
    const row = h('tr', { role: 'row' }, ...cellsOf(lead), ticks.cell(lead.leadId));
    row.addEventListener('click', ({ target }) => {
      if (target instanceof Element && !target.closest('a, button, .tick') && getSelection()?.isCollapsed !== false)
        location.hash = `#/leads/${lead.leadId}`;
    });
    fillRow(row, lead);
    return row;
  }

  async function refresh(/** @type {AbortSignal} */ signal) {
    const asked = narrowed(query, searched);
    asked.set('limit', String(pageSize));
    const cursor = query.get('cursor');
    if (cursor) asked.set('cursor', cursor);
    const counted = narrowed(query);
    counted.set('groups', 'true');
    try {
      const page = await get(`/api/leads?${asked}`, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      render(page.leads);
      grow(body);
      showPages(page.nextCursor);
      // Count afterwards, because counting takes longer.
      const counts = await get(`/api/leads/counts?${counted}`, signal);
      if (!signal.aborted) showCounts(counts);
    } catch (error) {
      if (signal.aborted) return;
      const words = wordsOf(error);
      if (problem.textContent !== words) problem.replaceChildren(message('bad', words));
    }
  }

  /** @param {Counts} now */
  function showCounts(now) {
    told = now;
    showChips(now.counts);
    groups.show(query, now.groups);
    stuck.show(now.stuckRuns);
  }

  /** @param {Record<string, number>} counts */
  function showChips(counts) {
    const chosen = query.get('state') ?? '';
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const kinds = [{ state: '', count: all }, ...states.map((state) => ({ state, count: counts[state] ?? 0 }))];
    chips.show(
      kinds.map(({ state, count }) => {
        const asked = narrowed(query);
        if (state) asked.set('state', state);
        const said = [state ? badge(state) : allBadge()];
        return { key: state, said, means: meaningOf(state), href: addressOf(asked), isChosen: state === chosen, count };
      }),
    );
  }

  /** @param {string | undefined} nextCursor */
  function showPages(nextCursor) {
    table.classList.toggle('choosing', ticks.show(query));
    const kept = narrowed(query, searched);
    newest.hidden = !query.get('cursor');
    newest.href = addressOf(kept);
    older.hidden = !nextCursor;
    const next = new URLSearchParams(kept);
    if (nextCursor) next.set('cursor', nextCursor);
    older.href = addressOf(next);
  }

  show(query);
  const polling = poll(pollMs, refresh);
  return {
    close: polling.stop,
    /** @param {URLSearchParams} next */
    update: (next) => {
      const isPage = next.get('cursor') !== query.get('cursor');
      if (`${narrowed(next, searched)}` !== `${narrowed(query, searched)}`) ticks.clear();
      query = next;
      left.address = addressOf(query);
      show(query);
      body.replaceChildren();
      // Show the selection at once, and the new counts later.
      if (told) showCounts(told);
      if (isPage) window.scrollTo(0, 0);
      announce(query.get('state') ? `Leads that are ${query.get('state')}` : 'Leads');
      polling.now();
    },
  };
}

/** @param {URLSearchParams} query */
function nothingHere(query) {
  const isSearch = narrowed(query, [...searched, 'cursor']).size > 0;
  if (isSearch)
    return [
      h('p', {}, 'No lead matches.'),
      h(
        'p',
        {},
        'E-mail, phone and PatientID must be complete. Only sites are matched without regard to case. ',
        h('a', { href: '#/leads' }, 'Show all leads'),
      ),
    ];
  return [
    h('p', {}, 'No leads yet.'),
    h(
      'p',
      {},
      'Send one with the command that ',
      h('code', {}, 'npm start'),
      ' prints, or see ',
      h('a', { href: '/docs' }, 'the reference'),
      '. It appears here automatically.',
    ),
  ];
}
