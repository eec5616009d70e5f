/** Searches the reference for paths, fields and error codes. */
import { get, wordsOf } from './api.js';
import { h, message } from './dom.js';

/** @typedef {{ kind: string, name: string, words: string, href: string }} Entry */

const mostShown = 40;
/** @type {Readonly<Record<string, string>>} */
const kinds = { error: 'error code', route: 'route', field: 'field', answer: 'field of the answer' };

/** Ranks an entry; lower is better. @param {Entry} entry @param {string} query */
function rank({ name, words }, query) {
  const lower = name.toLowerCase();
  if (lower === query) return 0;
  if (lower.startsWith(query)) return 1;
  if (lower.includes(query)) return 2;
  const all = `${lower} ${words.toLowerCase()}`;
  return query.split(/\s+/).every((word) => all.includes(word)) ? 3 : undefined;
}

/** @param {readonly Entry[]} index @param {string} query */
const found = (index, query) =>
  index
    .flatMap((entry) => {
      const at = rank(entry, query);
      return at === undefined ? [] : [{ entry, at }];
    })
    .sort((one, other) => one.at - other.at)
    .map(({ entry }) => entry);

/** @param {Entry} entry */
const result = ({ kind, name, words, href }) =>
  h('li', {}, h('a', { href }, h('code', {}, name), ' ', h('span', { class: 'kind' }, kinds[kind]), h('span', { class: 'soft' }, words)));

export function addSearch() {
  const place = document.getElementById('search');
  if (!place) return;
  /** @type {Promise<Entry[]> | undefined} */
  let index;
  const input = h('input', {
    type: 'search',
    'aria-label': 'Search paths, fields and error codes',
    placeholder: 'Search paths, fields, errors  ( / )',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => void show(),
  });
  const count = h('p', { class: 'soft', role: 'status' });
  const list = h('ul', { class: 'results' });
  const panel = h('div', { class: 'found', hidden: true }, count, list);

  async function show() {
    const query = input.value.trim().toLowerCase();
    panel.hidden = !query;
    if (!query) return;
    try {
      index ??= get('/docs/search.json');
      const all = found(await index, query);
      if (query !== input.value.trim().toLowerCase()) return;
      const more = all.length > mostShown ? `, showing the best ${mostShown}` : '';
      count.textContent = all.length === 0 ? 'Nothing found' : `${all.length} found${more}`;
      list.replaceChildren(...all.slice(0, mostShown).map(result));
    } catch (error) {
      index = undefined;
      list.replaceChildren(message('bad', wordsOf(error)));
    }
  }

  const close = () => {
    panel.hidden = true;
  };

  /** @param {KeyboardEvent} event */
  function move(event) {
    const stops = [input, ...list.querySelectorAll('a')];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      input.focus();
      close();
    } else if (event.key === 'Enter' && at === 0) stops[1]?.click();
    else if (step) stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
    else return;
    event.preventDefault();
  }

  // A click on an entry opens it; the browser does the same for Enter on a focused entry.
  list.addEventListener('click', close);
  place.addEventListener('keydown', move);
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !place.contains(relatedTarget)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  place.replaceChildren(input, panel);
}
