/** Shows the pages for bulk orders. They count the leads, start the order at a set rate, and show its report with a stop button. */
import { fullWordsOf, get, newOrder, post } from './api.js';
import { openDialog, reasonInput } from './dialog.js';
import { announce, filled, h, message } from './dom.js';
import { field } from './fields.js';
import { filterForm, narrowed } from './filter.js';
import { followOrder, refusedIn, whoAndWhy } from './many-run.js';
import { decideMany, discardMany, mendMany, redriveMany, resendMany } from './many-words.js';
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
export const openMend = (main, query) => openMany(mendMany, main, query);
/** @type {Open} */
export const openDecide = (main, query) => openMany(decideMany, main, query);
/** @type {Open} */
export const openDiscard = (main, query) => openMany(discardMany, main, query);
/** @type {Open} */
export const openResend = (main, query) => openMany(resendMany, main, query);

/** @param {import('./many-words.js').Kind} kind @param {HTMLElement} main @param {URLSearchParams} firstQuery */
function openMany(kind, main, firstQuery) {
  const { path, idName, listName, state, acts, correction, leads, list, title, means } = kind;
  const [firstAct] = acts;
  let query = firstQuery;
  const chosen = h('p', { hidden: true });
  const counted = h('div', { 'aria-live': 'polite' });
  const running = h('div', {});
  const addressOf = (/** @type {URLSearchParams} */ asked) => `#/${kind.page}${asked.size > 0 ? `?${asked}` : ''}`;
  const go = (/** @type {URLSearchParams} */ asked) => (location.hash = addressOf(asked));
  const corrected = correctionInputs(correction === 'required', () => counted.replaceChildren());
  const { form, show } = filterForm(go, {
    label: 'Count',
    of: kind.fields,
    first: kind.first,
    more: correction === 'required' ? corrected.boxes : [],
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
    h(
      'section',
      { class: 'panel' },
      h('h2', {}, `1. Choose ${leads[1]}${correction === 'required' ? ' and the field to correct' : ''}`),
      chosen,
      form,
      counted,
    ),
    running,
  );

  async function countThem() {
    const asked = String(query);
    /** An order applies to the current search, so ignore the count of an earlier one. @param {Node} answer */
    const tell = (answer) => String(query) === asked && counted.replaceChildren(answer);
    tell(h('p', { class: 'soft' }, 'Counting …'));
    try {
      const { count: found, sample } = await post(path, { ...orderOf(firstAct), reason: 'count' });
      tell(found > 0 ? startForm(found, sample) : noneFound());
    } catch (error) {
      tell(message('bad', fullWordsOf(error)));
    }
  }

  /** @param {import('./many-words.js').Act} act */
  const orderOf = ({ verb }) => ({ filter: filterFor(kind, query), ...(verb && { verb }), ...corrected.read() });

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
    const problem = h('div', {});
    const what = h('select', { id: 'many-verb' }, ...acts.map(({ verb, words }) => h('option', { value: verb }, words)));
    const chosenAct = () => acts.find(({ verb }) => verb === what.value) ?? firstAct;
    const order = newOrder();
    const start = h('button', {});
    const showAct = () => {
      const { isGrave, label } = chosenAct();
      start.className = isGrave ? 'grave' : 'primary';
      start.textContent = label(found.toLocaleString());
    };
    what.addEventListener('change', showAct);
    showAct();

    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      start.disabled = true;
      const body = { ...orderOf(chosenAct()), reason: reason.value.trim(), ratePerS: Number(rate.value), count: found };
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
        ...(acts.length > 1 ? [field('Decision', what)] : []),
        field('Leads per second', rate),
        ...(correction === 'optional' ? corrected.boxes : []),
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
    /** @type {({ redriveId?: string, decisionId?: string, resendId?: string, verb?: string, startedAt: string } & import('./many-run.js').Run)[]} */
    const orders = (await get(path).catch(() => ({ [listName]: [] })))[listName];
    if (orders.length === 0 || query.get('id')) return;
    const rows = orders
      .slice(0, mostEarlier)
      .map(({ [idName]: id = '', verb, state, count, startedAt, by, reason, ...run }) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: addressOf(new URLSearchParams({ id })) },
            [verb === 'apply' ? 'proposals for' : verb, count.toLocaleString(), 'leads'].filter(Boolean).join(' '),
          ),
          ' ',
          badge(state),
          ' ',
          time(startedAt),
          resultIn(kind, run),
          h('div', { class: 'soft' }, whoAndWhy({ by, reason })),
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

/**
 * Asks for a field that is wrong in all leads, and its right value.
 * @param {boolean} isRequired @param {() => void} changed
 */
function correctionInputs(isRequired, changed) {
  const input = (/** @type {string} */ id) =>
    h('input', { id, autocomplete: 'off', spellcheck: 'false', required: isRequired, oninput: isRequired && changed });
  const [name, value] = [input('many-name'), input('many-value')];
  return {
    boxes: [field(`A field to correct in all${isRequired ? '' : ' (optional)'}`, name), field('Its new value', value)],
    read: () => (name.value.trim() ? { fields: { [name.value.trim()]: value.value.trim() } } : {}),
  };
}

/** The result of an order, which has none until it ends. @param {import('./many-words.js').Kind} kind @param {Partial<import('./many-run.js').Run>} run */
function resultIn({ done: words, notDone }, { done, ...run }) {
  const left = refusedIn(run);
  return done !== undefined && ` · ${(done - left).toLocaleString()} ${words}, ${left.toLocaleString()} ${notDone}`;
}
