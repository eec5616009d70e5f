/** Shows the pages for bulk orders. They count the leads, start the order at a set rate, and show its report with a stop button. */
import { fullWordsOf, get, newOrder, post, wordsOf } from './api.js';
import { openDialog, reasonInput } from './dialog.js';
import { announce, filled, h, message } from './dom.js';
import { field } from './fields.js';
import { filterForm, narrowed } from './filter.js';
import { followOrder, refusedIn } from './many-run.js';
import { decideMany, redriveMany, resendMany, verbs } from './many-words.js';
import { leadLink } from './table.js';
import { time } from './time.js';
import { badge } from './words.js';

const usualRatePerS = 5;
const mostEarlier = 10;

/** @param {import('./many-words.js').Kind['fields']} fields */
const namesOf = (fields) => fields.map(([name]) => name);

/** The leads that were chosen one by one, from the address. @param {URLSearchParams} query */
const chosenIn = (query) => query.get('ids')?.split(',') ?? [];

/** @param {import('./many-words.js').Kind} kind @param {URLSearchParams} query */
function filterFor({ state, fields }, query) {
  const leadIds = chosenIn(query);
  return { state, ...Object.fromEntries(narrowed(query, namesOf(fields))), ...(leadIds.length > 0 && { leadIds }) };
}

/** @typedef {(main: HTMLElement, query: URLSearchParams) => { close(): void, update(query: URLSearchParams): void }} Open */

/** @type {Open} */
export const openRedrive = (main, query) => openMany(redriveMany, main, query);
/** @type {Open} */
export const openDecide = (main, query) => openMany(decideMany, main, query);
/** @type {Open} */
export const openResend = (main, query) => openMany(resendMany, main, query);

/** @param {import('./many-words.js').Kind} kind @param {HTMLElement} main @param {URLSearchParams} firstQuery */
function openMany(kind, main, firstQuery) {
  const { path, idName, listName, state, leads, list, title, means } = kind;
  let query = firstQuery;
  const chosen = h('p', { hidden: true });
  const counted = h('div', { 'aria-live': 'polite' });
  const running = h('div', {});
  const addressOf = (/** @type {URLSearchParams} */ asked) => `#/${kind.page}${asked.size > 0 ? `?${asked}` : ''}`;
  const go = (/** @type {URLSearchParams} */ asked) => (location.hash = addressOf(asked));
  const { form, show } = filterForm(go, {
    label: 'Count',
    of: kind.fields,
    first: kind.first,
    submit: (asked) => {
      const ids = query.get('ids');
      if (ids) asked.set('ids', ids);
      query = asked;
      history.replaceState(undefined, '', addressOf(asked));
      void countThem();
    },
  });
  /** @type {{ close(): void } | undefined} */
  let following;

  main.replaceChildren(
    h('h1', {}, title),
    h('p', { class: 'lead' }, means),
    h('section', { class: 'panel' }, h('h2', {}, `1. Choose ${leads[1]}`), chosen, form, counted),
    running,
  );

  async function countThem() {
    const asked = String(query);
    /** An order applies to the current search, so ignore the count of an earlier one. @param {Node} answer */
    const tell = (answer) => String(query) === asked && counted.replaceChildren(answer);
    tell(h('p', { class: 'soft' }, 'Counting …'));
    try {
      const { count: found, sample } = await post(path, { ...orderOf('resend'), reason: 'count' });
      tell(found > 0 ? startForm(found, sample) : noneFound());
    } catch (error) {
      tell(message('bad', wordsOf(error)));
    }
  }

  /** @param {string} verb */
  const orderOf = (verb) => ({ filter: filterFor(kind, query), ...(state === 'parked' && { verb }) });

  const noneFound = () =>
    message(
      'note',
      `No ${leads[0]} matches. Change the search, or see all `,
      h('a', { href: list }, state === 'given-up' ? 'events that were given up' : leads[1]),
      '.',
    );

  /** @param {number} found @param {unknown[]} [sample] */
  function startForm(found, sample = []) {
    const reason = filled(h('textarea', { id: 'many-reason', rows: 2 }));
    const rate = h('input', { id: 'many-rate', type: 'number', min: 1, max: 50, value: usualRatePerS, required: true });
    const name = h('input', { id: 'many-name', autocomplete: 'off', spellcheck: 'false' });
    const value = h('input', { id: 'many-value', autocomplete: 'off', spellcheck: 'false' });
    const problem = h('div', {});
    const what = h('select', { id: 'many-verb', required: true }, ...verbs.map(([value, words]) => h('option', { value }, words)));
    const order = newOrder();
    const start = h('button', { class: 'primary' });
    const label = () => {
      const isDiscard = state === 'parked' && what.value === 'discard';
      start.className = isDiscard ? 'grave' : 'primary';
      const again = state === 'given-up' ? `Send events of ${found.toLocaleString()} again` : `Send ${found.toLocaleString()} again`;
      start.textContent = isDiscard ? `Discard ${found.toLocaleString()}` : again;
    };
    what.addEventListener('change', label);
    label();

    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      start.disabled = true;
      const fields = name.value.trim() ? { [name.value.trim()]: value.value.trim() } : undefined;
      const body = {
        ...orderOf(what.value),
        reason: reason.value.trim(),
        ratePerS: Number(rate.value),
        count: found,
        ...(fields && { fields }),
      };
      try {
        const started = await post(path, body, order);
        announce(`${found} leads ${kind.start}`);
        counted.replaceChildren();
        location.hash = addressOf(new URLSearchParams({ id: started[idName] }));
      } catch (error) {
        problem.replaceChildren(message('bad', fullWordsOf(error)));
        start.disabled = false;
      }
    }

    return h(
      'form',
      { onsubmit: submit, class: 'start' },
      h(
        'p',
        {},
        h('b', {}, `${found.toLocaleString()} ${found === 1 ? `${leads[0]} matches` : `${leads[1]} match`}`),
        sample.length > 0 ? ', among them:' : '.',
      ),
      h('ul', { class: 'sample' }, ...sample.map((one) => h('li', {}, leadLink(one)))),
      h('h2', {}, '2. Set the reason and the rate'),
      field(state === 'given-up' ? 'Reason (stored with the order)' : 'Reason (stored with each lead)', reason),
      h(
        'div',
        { class: 'fields' },
        ...(state === 'parked' ? [field('Decision', what)] : []),
        field('Leads per second', rate),
        ...(state === 'failed' ? [field('A field to correct in all (optional)', name), field('Its new value', value)] : []),
      ),
      problem,
      h('div', { class: 'actions' }, start),
    );
  }

  /** @param {URLSearchParams} next */
  function update(next) {
    query = next;
    show(query);
    const { length } = chosenIn(query);
    chosen.hidden = length === 0;
    chosen.replaceChildren(
      `Only the ${length.toLocaleString()} selected leads. `,
      h('a', { href: addressOf(narrowed(query, namesOf(kind.fields))) }, 'All matching leads'),
    );
    counted.replaceChildren();
    following?.close();
    following = undefined;
    running.replaceChildren();
    const id = query.get('id');
    if (id) following = followOrder(kind, running, id, stop);
    else void showEarlier();
  }

  async function showEarlier() {
    /** @type {({ redriveId?: string, decisionId?: string, resendId?: string, verb?: string, count: number, startedAt: string } & import('./many-run.js').Run)[]} */
    const orders = (await get(path).catch(() => ({ [listName]: [] })))[listName];
    if (orders.length === 0 || query.get('id')) return;
    const rows = orders
      .slice(0, mostEarlier)
      .map(({ [idName]: id = '', verb, state, count, startedAt, ...run }) =>
        h(
          'li',
          {},
          h('a', { href: addressOf(new URLSearchParams({ id })) }, [verb, count.toLocaleString(), 'leads'].filter(Boolean).join(' ')),
          ' ',
          badge(state),
          ' ',
          time(startedAt),
          resultIn(kind, run),
        ),
      );
    running.replaceChildren(h('section', { class: 'panel' }, h('h2', {}, 'Earlier'), h('ul', { class: 'earlier' }, ...rows)));
  }

  /** @param {string} id @param {() => void} stopped */
  const stop = (id, stopped) =>
    openDialog({
      title: `Stop: ${kind.doing.toLowerCase()}`,
      means: kind.stop,
      label: 'Stop',
      isGrave: true,
      inputs: [reasonInput],
      act: async (values) => {
        await post(`${path}/${encodeURIComponent(id)}/stop`, values);
        announce('Stopped');
        stopped();
      },
    });

  update(query);
  return { close: () => following?.close(), update };
}

/** The result of an order, which has none until it ends. @param {import('./many-words.js').Kind} kind @param {Partial<import('./many-run.js').Run>} run */
function resultIn({ done: words, notDone }, { done, ...run }) {
  const left = refusedIn(run);
  return done !== undefined && ` · ${(done - left).toLocaleString()} ${words}, ${left.toLocaleString()} ${notDone}`;
}
