/** Creates the search form. Its values are in the URL, so that a view can be bookmarked, shared and revisited. */
import { h } from './dom.js';
import { field, queryOf, searchInput, showQuery } from './fields.js';
import { codes, deliveryStates, eventTypes, flows, receivers, upstreams } from './words.js';

/** @type {readonly (readonly [name: string, label: string, type: string, hint?: string])[]} */
export const fields = [
  ['email', 'E-mail', 'search'],
  ['phone', 'Phone', 'search'],
  ['reference', 'Reference', 'search'],
  ['patientId', 'PatientID', 'search'],
  ['flow', 'Flow', 'choice'],
  ['code', 'Error', 'choice'],
  ['upstream', 'Upstream of the error', 'choice'],
  ['site', 'Site', 'search'],
  ['studyId', 'Study', 'search'],
  ['protocol', 'Protocol', 'search'],
  ['importId', 'Import', 'search'],
  ['restored', 'Restored', 'choice'],
  ['repeatedWithin', 'Sent twice within', 'choice'],
  ['since', 'From', 'datetime-local'],
  ['until', 'To', 'datetime-local'],
];

/** The fields that find deliveries of events. @type {typeof fields} */
export const deliveryFields = [
  ['state', 'State', 'choice'],
  ['type', 'Event', 'choice'],
  ['receiver', 'Receiver', 'choice'],
  ['leadId', 'Lead', 'search'],
  ['since', 'From', 'datetime-local'],
  ['until', 'To', 'datetime-local'],
];

/** The values of each choice, with their words. @type {Readonly<Record<string, readonly (readonly [value: string, words: string])[]>>} */
const choices = {
  state: [['', 'every state'], ...deliveryStates.map((state) => pair(state))],
  type: [['', 'every event'], ...eventTypes.map((type) => pair(type))],
  receiver: [['', 'every receiver'], ...receivers.map((receiver) => pair(receiver))],
  flow: [['', 'every flow'], ...flows.map((flow) => pair(flow))],
  code: [['', 'every error'], ...Object.entries(codes)],
  restored: [
    ['', 'every lead'],
    ['true', 'open in the restored copy'],
  ],
  repeatedWithin: [
    ['', 'every lead'],
    ['10m', '10 minutes'],
    ['1h', '1 hour'],
    ['24h', '24 hours'],
    ['7d', '7 days'],
  ],
  upstream: [['', 'every upstream'], ...upstreams.map((upstream) => pair(upstream))],
};

/** @param {string} value @returns {readonly [string, string]} */
function pair(value) {
  return [value, value];
}

/** Always shown, before the other fields. */
const usual = ['email', 'phone', 'reference', 'patientId', 'code', 'flow'];

/** @param {string} name @param {string} type @param {string} id */
function control(name, type, id) {
  if (type !== 'choice') return searchInput({ id, name, type });
  return h('select', { id, name }, ...(choices[name] ?? []).map(([value, words]) => h('option', { value }, words)));
}

/**
 * @param {(query: URLSearchParams) => void} changed
 * @param {{ label?: string, of?: typeof fields, first?: readonly string[], more?: HTMLElement[], submit?: (query: URLSearchParams) => void }} [wishes] `submit` replaces `changed` for the button; `more` are fields that are no part of the search
 */
export function filterForm(changed, { label: doIt = 'Search', of = fields, first = usual, more: others = [], submit = changed } = {}) {
  const prefix = 'filter';
  const ordered = of.toSorted(([one], [other]) => Number(first.includes(other)) - Number(first.includes(one)));
  const controls = ordered.map(([name, label, type]) => ({ name, label, type, input: control(name, type, `${prefix}-${name}`) }));
  const boxes = controls.map(({ label, input }) => field(label, input));
  const clear = h('button', { type: 'button', class: 'plain', onclick: () => changed(new URLSearchParams()) }, 'Clear the search');
  const more = h('details', {}, h('summary', {}, 'More'), h('div', { class: 'fields' }, ...boxes.slice(first.length)));

  const form = h(
    'form',
    {
      class: 'search',
      role: 'search',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit(queryOf(controls));
      },
      onchange: () => changed(queryOf(controls)),
    },
    h('div', { class: 'fields' }, ...boxes.slice(0, first.length)),
    boxes.length > first.length && more,
    others.length > 0 && h('div', { class: 'fields correction' }, ...others),
    h('div', { class: 'actions' }, h('button', { class: 'primary' }, doIt), clear),
  );

  /** @param {URLSearchParams} query */
  function show(query) {
    showQuery(controls, query);
    clear.hidden = !of.some(([name]) => query.get(name));
    if (ordered.slice(first.length).some(([name]) => query.get(name))) more.open = true;
  }

  return { form, read: () => queryOf(controls), show };
}

/** Returns only the parameters that the API accepts, in a fixed order. @param {URLSearchParams} query @param {readonly string[]} [names] */
export function narrowed(query, names = fields.map(([name]) => name)) {
  const left = new URLSearchParams();
  for (const name of names) {
    const value = query.get(name);
    if (value) left.set(name, value);
  }
  return left;
}
