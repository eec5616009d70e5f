/** Shows the leads of each day, of every flow or of one, as a chart and as a table. The URL names the flow. */
import { get, wordsOf } from './api.js';
import { h, message } from './dom.js';
import { bars } from './plot.js';
import { poll } from './poll.js';
import { tableOf } from './table.js';
import { flows } from './words.js';

/** @typedef {{ day: string, leads: number, delivered: number, skipped: number, failed: number, parked: number, discarded: number, open: number }} Day */

const pollMs = 30_000;
const heads = ['Day', 'Leads', 'Delivered', 'Skipped', 'Failed', 'Parked', 'Discarded', 'Open'];

const dayForm = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
/** @param {Day} day */
const nameOf = ({ day }) => dayForm.format(new Date(day));

/** @param {URLSearchParams} firstQuery */
export function openLeadsByDay(firstQuery) {
  const flow = h(
    'select',
    {
      id: 'by-day-flow',
      onchange: () => (location.hash = flow.value ? `#/traffic?${new URLSearchParams({ flow: flow.value })}` : '#/traffic'),
    },
    h('option', { value: '' }, 'every flow'),
    ...flows.map((name) => h('option', { value: name }, name)),
  );
  const problem = h('div', {});
  const shown = h('div', { class: 'plots' });
  const section = h(
    'section',
    { class: 'start', 'aria-label': 'Leads by day' },
    h(
      'div',
      { class: 'title' },
      h('h2', {}, 'Leads by day'),
      h('div', { class: 'field' }, h('label', { for: flow.id, class: 'unseen' }, 'Flow'), flow),
    ),
    h('p', { class: 'lead' }, 'The leads of each day, in UTC, by their current state. A redriven lead counts once.'),
    problem,
    shown,
  );
  let asked = '';
  let seen = '';

  const polling = poll(pollMs, async (signal) => {
    try {
      /** @type {{ days: Day[] }} */
      const { days } = await get(`/api/leads/history${asked && `?${new URLSearchParams({ flow: asked })}`}`, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      const said = JSON.stringify(days);
      if (said !== seen) shown.replaceChildren(chartOf(days), figuresOf(days));
      seen = said;
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  });

  /** @param {URLSearchParams} query */
  function update(query) {
    const wanted = query.get('flow') ?? '';
    flow.value = wanted;
    if (wanted === asked) return;
    asked = wanted;
    polling.now();
  }

  update(firstQuery);
  return { section, update, close: polling.stop };
}

/** @param {Day[]} days */
function chartOf(days) {
  const sum = (/** @type {(day: Day) => number} */ read) => days.reduce((all, day) => all + read(day), 0).toLocaleString();
  return bars({
    title: 'Leads per day',
    words: `${sum(({ leads }) => leads)} in total, ${sum(({ failed }) => failed)} failed, ${sum(({ parked }) => parked)} parked, ${sum(({ open }) => open)} open`,
    moments: days,
    label: nameOf,
    series: [
      ['delivered', ({ delivered }) => delivered],
      ['skipped', ({ skipped }) => skipped],
      ['discarded', ({ discarded }) => discarded],
      ['open', ({ open }) => open],
      ['parked', ({ parked }) => parked],
      ['failed', ({ failed }) => failed],
    ],
  });
}

/** The newest day first. @param {Day[]} days */
const figuresOf = (days) =>
  tableOf(
    'Leads by day, as figures',
    heads,
    days.toReversed().map((each) => {
      const { day, leads, delivered, skipped, failed, parked, discarded, open } = each;
      const counts = [leads, delivered, skipped, failed, parked, discarded, open];
      return [h('time', { datetime: day }, nameOf(each)), ...counts.map((count) => count.toLocaleString())];
    }),
  );
