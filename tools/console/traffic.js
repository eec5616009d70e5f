/** Shows the page with the leads of each day, and what the API process answered in the last hour: volume, latency and results. */
import { get, wordsOf } from './api.js';
import { h, message } from './dom.js';
import { openLeadsByDay } from './leads-by-day.js';
import { bars, lines } from './plot.js';
import { poll } from './poll.js';
import { local, time } from './time.js';

/** @typedef {{ at: string, done: number, accepted: number, refused: number, failed: number, p50Ms?: number, p95Ms?: number }} Minute */

const pollMs = 5_000;
const minuteMs = 60_000;
const minutesShown = 60;

/** @param {Minute} minute */
const total = ({ done, accepted, refused, failed }) => done + accepted + refused + failed;

/** @param {Minute} minute */
const clockOf = ({ at }) => local(at).replace(/:\d\d(?=\D*$)/, '');

/** @param {HTMLElement} main @param {URLSearchParams} query */
export function openTraffic(main, query) {
  const problem = h('div', {});
  const since = h('p', { class: 'lead' });
  const plots = h('div', { class: 'plots' });
  const figures = h('tbody', {});
  const heads = ['Minute', 'Done', 'Accepted', 'Refused', 'Failed', 'Median', '95 %'].map((name) => h('th', { scope: 'col' }, name));
  const days = openLeadsByDay(query);
  main.replaceChildren(
    h('h1', {}, 'Traffic'),
    days.section,
    h('h2', {}, 'The last hour'),
    since,
    problem,
    plots,
    h(
      'details',
      { class: 'panel' },
      h('summary', {}, 'As a table'),
      h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Figures' },
        h('table', {}, h('thead', {}, h('tr', {}, ...heads)), figures),
      ),
    ),
  );
  let seen = '';

  /** @param {string} started @param {Minute[]} minutes */
  function show(started, minutes) {
    since.replaceChildren(
      'Leads and task-board calls that this process answered since its start at ',
      time(started),
      ', at most for the last hour.',
    );
    const all = filled(minutes);
    const last = all.at(-1);
    const most = minutes.reduce((sum, minute) => sum + total(minute), 0);
    const failed = minutes.reduce((sum, { failed }) => sum + failed, 0);
    const refused = minutes.reduce((sum, { refused }) => sum + refused, 0);
    /** @type {(title: string, words: string, series: import('./plot.js').Series<Minute>) => import('./plot.js').Chart<Minute>} */
    const chart = (title, words, series) => ({ title, words, series, moments: all, label: clockOf });
    plots.replaceChildren(
      bars(
        chart('Answers per minute', `${most.toLocaleString()} in total, ${failed.toLocaleString()} failed`, [
          ['done', ({ done }) => done],
          ['accepted', ({ accepted }) => accepted],
          ['refused', ({ refused }) => refused],
          ['failed', ({ failed }) => failed],
        ]),
      ),
      lines(
        chart(
          'Time to answer, ms',
          last?.p50Ms === undefined ? 'no answers in this minute' : `now: median ${last.p50Ms}, 95 % within ${last.p95Ms}`,
          [
            ['median', ({ p50Ms }) => p50Ms],
            ['95 %', ({ p95Ms }) => p95Ms],
          ],
        ),
      ),
      bars(
        chart('Refused and failed per minute', `${refused.toLocaleString()} refused, ${failed.toLocaleString()} failed`, [
          ['refused', ({ refused }) => refused],
          ['failed', ({ failed }) => failed],
        ]),
      ),
    );
    const rows = minutes.filter((minute) => total(minute) > 0).toReversed();
    figures.replaceChildren(...rows.map(rowOf));
  }

  const polling = poll(pollMs, async (signal) => {
    try {
      const answer = await get('/api/traffic', signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      const said = JSON.stringify(answer);
      if (said !== seen) show(answer.since, answer.minutes);
      seen = said;
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  });
  return {
    close() {
      polling.stop();
      days.close();
    },
    update: days.update,
  };
}

/** @param {Minute} minute */
function rowOf({ at, done, accepted, refused, failed, p50Ms, p95Ms }) {
  const cells = [
    time(at),
    done,
    accepted,
    refused,
    failed,
    p50Ms === undefined ? '' : `${p50Ms} ms`,
    p95Ms === undefined ? '' : `${p95Ms} ms`,
  ];
  return h('tr', {}, ...cells.map((cell) => h('td', {}, cell)));
}

/** Every minute of the last hour, with empty ones for quiet minutes. @param {Minute[]} minutes @returns {Minute[]} */
function filled(minutes) {
  const known = new Map(minutes.map((minute) => [Date.parse(minute.at), minute]));
  const end = Date.parse(minutes.at(-1)?.at ?? new Date().toISOString());
  return Array.from({ length: minutesShown }, (_, at) => {
    const moment = end - (minutesShown - 1 - at) * minuteMs;
    return known.get(moment) ?? { at: new Date(moment).toISOString(), done: 0, accepted: 0, refused: 0, failed: 0 };
  });
}
