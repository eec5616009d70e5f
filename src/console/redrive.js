/** The page that redrives many failed leads: it counts them first, then sends them at a set rate, with a stop button and a report. */
import { get, post, Refused, wordsOf } from './api.js';
import { openDialog, reasonInput } from './dialog.js';
import { announce, filled, h, message } from './dom.js';
import { filterForm, narrowed } from './filter.js';
import { followRedrive } from './redrive-run.js';
import { time } from './time.js';
import { badge } from './words.js';

const usualRatePerS = 5;
const mostEarlier = 10;

/** @param {URLSearchParams} query */
const filterOf = (query) => ({ state: 'failed', ...Object.fromEntries(narrowed(query)) });

/** @param {HTMLElement} main @param {URLSearchParams} firstQuery */
export function openRedrive(main, firstQuery) {
  let query = firstQuery;
  const counted = h('div', { 'aria-live': 'polite' });
  const running = h('div', {});
  const go = (/** @type {URLSearchParams} */ asked) => (location.hash = `#/redrive${asked.size > 0 ? `?${asked}` : ''}`);
  const { form, show } = filterForm(go, {
    label: 'Count them',
    first: ['flow', 'site', 'studyId', 'since'],
    submit: (asked) => {
      query = asked;
      history.replaceState(undefined, '', `#/redrive${asked.size > 0 ? `?${asked}` : ''}`);
      void countThem();
    },
  });
  /** @type {{ close(): void } | undefined} */
  let following;

  main.replaceChildren(
    h('h1', {}, 'Send many again'),
    h(
      'p',
      { class: 'lead' },
      'When many leads failed for one cause and the cause is gone, send them all. They are counted first; nothing is sent before you say so.',
    ),
    h('section', { class: 'panel' }, h('h2', {}, '1. Which failed leads'), form, counted),
    running,
  );

  async function countThem() {
    counted.replaceChildren(h('p', { class: 'soft' }, 'Counting …'));
    try {
      const { count: found, sample } = await post('/api/redrives', { filter: filterOf(query), reason: 'count' });
      counted.replaceChildren(found > 0 ? startForm(found, sample) : noneFound());
    } catch (error) {
      counted.replaceChildren(message('bad', wordsOf(error)));
    }
  }

  const noneFound = () =>
    message(
      'note',
      'No failed lead matches. Change the search, or see all ',
      h('a', { href: '#/leads?state=failed' }, 'failed leads'),
      '.',
    );

  /** @param {number} found @param {unknown[]} [sample] */
  function startForm(found, sample = []) {
    const reason = filled(h('textarea', { id: 'many-reason', rows: 2 }));
    const rate = h('input', { id: 'many-rate', type: 'number', min: 1, max: 50, value: usualRatePerS, required: true });
    const name = h('input', { id: 'many-name', autocomplete: 'off', spellcheck: 'false' });
    const value = h('input', { id: 'many-value', autocomplete: 'off', spellcheck: 'false' });
    const problem = h('div', {});
    const start = h('button', { class: 'primary' }, `Send ${found.toLocaleString()} again`);

    /** @param {SubmitEvent} event */
    async function submit(event) {
      event.preventDefault();
      start.disabled = true;
      const fields = name.value.trim() ? { [name.value.trim()]: value.value.trim() } : undefined;
      const body = {
        filter: filterOf(query),
        reason: reason.value.trim(),
        ratePerS: Number(rate.value),
        count: found,
        ...(fields && { fields }),
      };
      try {
        const { redriveId } = await post('/api/redrives', body);
        announce(`${found} leads are being sent again`);
        counted.replaceChildren();
        location.hash = `#/redrive?id=${redriveId}`;
      } catch (error) {
        const details = error instanceof Refused ? error.details.map(({ field, message }) => `${field}: ${message}`) : [];
        problem.replaceChildren(message('bad', [wordsOf(error), ...details].join('. ')));
        start.disabled = false;
      }
    }

    return h(
      'form',
      { onsubmit: submit, class: 'start' },
      h(
        'p',
        {},
        h('b', {}, `${found.toLocaleString()} failed ${found === 1 ? 'lead matches' : 'leads match'}`),
        sample.length > 0 ? ', among them:' : '.',
      ),
      h('ul', { class: 'sample' }, ...sample.map((one) => h('li', {}, leadLink(one)))),
      h('h2', {}, '2. Why, and how fast'),
      h('div', { class: 'field' }, h('label', { for: 'many-reason' }, 'Reason, in your own words; it is kept with each lead'), reason),
      h(
        'div',
        { class: 'fields' },
        h('div', { class: 'field' }, h('label', { for: 'many-rate' }, 'Leads a second'), rate),
        h('div', { class: 'field' }, h('label', { for: 'many-name' }, 'A field to correct in all (optional)'), name),
        h('div', { class: 'field' }, h('label', { for: 'many-value' }, 'Its new value'), value),
      ),
      problem,
      h('div', { class: 'actions' }, start),
    );
  }

  /** @param {URLSearchParams} next */
  function update(next) {
    query = next;
    show(query);
    counted.replaceChildren();
    following?.close();
    following = undefined;
    running.replaceChildren();
    const id = query.get('id');
    if (id) following = followRedrive(running, id, stop);
    else void showEarlier();
  }

  async function showEarlier() {
    /** @type {{ redrives: { redriveId: string, state: string, count: number, startedAt: string }[] }} */
    const { redrives } = await get('/api/redrives').catch(() => ({ redrives: [] }));
    if (redrives.length === 0 || query.get('id')) return;
    const rows = redrives
      .slice(0, mostEarlier)
      .map(({ redriveId, state, count, startedAt }) =>
        h(
          'li',
          {},
          h('a', { href: `#/redrive?id=${redriveId}` }, `${count.toLocaleString()} leads`),
          ' ',
          badge(state),
          ' ',
          time(startedAt),
        ),
      );
    running.replaceChildren(h('section', { class: 'panel' }, h('h2', {}, 'Earlier'), h('ul', { class: 'earlier' }, ...rows)));
  }

  /** @param {string} id @param {() => void} stopped */
  const stop = (id, stopped) =>
    openDialog({
      title: 'Stop sending',
      means: 'What was sent stays sent; the others stay as they are.',
      label: 'Stop',
      isGrave: true,
      inputs: [reasonInput],
      act: async (values) => {
        await post(`/api/redrives/${encodeURIComponent(id)}/stop`, values);
        announce('Stopped');
        stopped();
      },
    });

  update(query);
  return { close: () => following?.close(), update };
}

/** @param {unknown} one a lead, or its id */
export function leadLink(one) {
  const id = typeof one === 'object' && one !== null && 'leadId' in one ? String(one.leadId) : String(one);
  return h('a', { href: `#/leads/${id}`, class: 'id' }, id);
}
