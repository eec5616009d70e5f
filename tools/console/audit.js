/** Shows the page of the audit trail: who did what to leads, people and keys, newest first. */
import { get, wordsOf } from './api.js';
import { reasonButton } from './audit-reason.js';
import { announce, h, message } from './dom.js';
import { field, queryOf, searchInput, showQuery } from './fields.js';
import { leadLink, trailOf, trailRow } from './table.js';
import { time } from './time.js';

/**
 * @typedef {{ file: string, seq: number }} Place
 * @typedef {Place & { at: string, who: string, action: string, outcome?: string, leadId?: string, leadIds?: string[], of?: Place, evidence?: import('./audit-reason.js').Evidence } & Record<string, unknown>} Entry
 */

const pageSize = 100;
const heads = ['When', 'Who', 'What', 'About', 'Result'];
const fields = /** @type {const} */ ([
  ['action', 'Action', 'text'],
  ['leadId', 'Lead', 'text'],
  ['since', 'From', 'datetime-local'],
  ['until', 'To', 'datetime-local'],
]);

/** @param {HTMLElement} main @param {URLSearchParams} query */
export function openAudit(main, query) {
  let closing = new AbortController();
  const problem = h('div', {});
  const body = h('tbody', { role: 'rowgroup' });
  const empty = h('p', { class: 'empty', hidden: true }, 'No entry matches.');
  const older = h('button', { type: 'button', hidden: true, onclick: () => void read() }, 'Older');
  const { form, show } = searchForm();
  const table = trailOf('Audit trail, newest first', heads, body);
  table.hidden = true;
  main.replaceChildren(
    h('h1', {}, 'Audit trail'),
    h('p', { class: 'lead' }, 'What operators did with leads, people and keys on this machine. A change of the trail is detectable.'),
    form,
    problem,
    table,
    empty,
    h('div', { class: 'actions' }, older),
  );

  /** @type {Entry[]} */
  let entries = [];
  /** @type {string | undefined} */
  let next;
  /** An entry never changes, so its row is created once and keeps a reason that is shown. @type {Map<string, HTMLElement>} */
  const rows = new Map();

  /** @param {Entry} entry */
  function rowOf(entry) {
    const row = rows.get(placeOf(entry)) ?? newRow(entry);
    rows.set(placeOf(entry), row);
    return row;
  }

  /** Reads the next page. */
  async function read() {
    const { signal } = closing;
    older.disabled = true;
    const asked = new URLSearchParams(query);
    asked.set('limit', String(pageSize));
    if (next) asked.set('cursor', next);
    try {
      const answer = await get(`/api/audit?${asked}`, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      entries = [...entries, ...answer.entries];
      next = answer.nextCursor;
      const orders = ordersOf(entries);
      body.replaceChildren(...orders.map(rowOf));
      table.hidden = orders.length === 0;
      empty.hidden = orders.length > 0;
      older.hidden = !next;
      announce(`${orders.length} entries of the audit trail`);
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
    older.disabled = false;
  }

  /** @param {URLSearchParams} wanted */
  function update(wanted) {
    closing.abort();
    closing = new AbortController();
    query = wanted;
    entries = [];
    next = undefined;
    show(query);
    void read();
  }

  update(query);
  return { close: () => closing.abort(), update };
}

/** @param {Place} place */
const placeOf = ({ file, seq }) => `${file}:${seq}`;

/**
 * An action has one entry for the request and one for the outcome: the page shows the later one. An erasure also has one by the worker.
 * @param {readonly Entry[]} entries
 */
function ordersOf(entries) {
  const ended = new Set(entries.flatMap(({ of }) => (of ? [placeOf(of)] : [])));
  const receipts = new Set(entries.flatMap(({ of, receiptId }) => (of ? [receiptId] : [])));
  return entries.filter((entry) => !ended.has(placeOf(entry)) && (entry.of || !entry.receiptId || !receipts.has(entry.receiptId)));
}

/** Fields that have their own place, or are of no use to a reader. */
const known = new Set([
  'at',
  'who',
  'action',
  'outcome',
  'leadId',
  'leadIds',
  'upstream',
  'instance',
  'file',
  'seq',
  'hash',
  'prev',
  'of',
  'redriveId',
  'decisionId',
  'resendId',
  'reconciliationId',
  'removed',
]);

/** @param {Entry} entry */
function newRow(entry) {
  const { at, who, action, outcome, leadId, leadIds = [], redriveId, decisionId, resendId, reconciliationId, upstream, instance } = entry;
  const about = [
    ...(leadId ? [leadId] : action === 'decode' ? leadIds : []).map((id) => leadLink(id)),
    typeof upstream === 'string' && [upstream, instance].filter(Boolean).join(' '),
    typeof redriveId === 'string' && h('a', { href: `#/redrive?id=${redriveId}` }, 'this redrive'),
    typeof decisionId === 'string' && h('a', { href: `#/decide?id=${decisionId}` }, 'this decision'),
    typeof reconciliationId === 'string' && typeof decisionId === 'string' && ' of ',
    typeof reconciliationId === 'string' && h('a', { href: `#/reconciliations/${reconciliationId}` }, 'this reconciliation'),
    typeof resendId === 'string' && h('a', { href: `#/resend?id=${resendId}` }, 'this resend'),
  ];
  const facts = Object.entries(entry).flatMap(([name, value]) =>
    known.has(name) || typeof value === 'object' ? [] : [h('span', {}, `${name} `, h('b', { class: 'id' }, String(value)))],
  );
  const sign = h('span', { class: `badge ${toneOf(outcome)}` }, outcome === 'asked' ? 'no outcome' : outcome);
  return trailRow([time(at), who, action, [...about, reasonButton(entry)], [sign, ...facts]]);
}

/** @param {string | undefined} outcome error codes are in capitals */
function toneOf(outcome = '') {
  if (outcome === 'asked' || outcome === 'pending' || outcome === 'incomplete' || outcome === 'unknown') return 'warn';
  return /^[A-Z_]+$/.test(outcome) ? 'bad' : 'good';
}

function searchForm() {
  const inputs = fields.map(([name, label, type]) => {
    const input = searchInput({ id: `audit-${name}`, type });
    return { name, label, type, input };
  });
  const form = h(
    'form',
    {
      class: 'search',
      role: 'search',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const wanted = queryOf(inputs);
        location.hash = `#/audit${wanted.size > 0 ? `?${wanted}` : ''}`;
      },
    },
    h('div', { class: 'fields' }, ...inputs.map(({ label, input }) => field(label, input))),
    h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Search')),
  );

  return { form, show: (/** @type {URLSearchParams} */ query) => showQuery(inputs, query) };
}
