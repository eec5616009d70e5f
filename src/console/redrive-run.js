/** One bulk run: how far it is, and what became of each lead. */
import { get, wordsOf } from './api.js';
import { announce, h, message, write } from './dom.js';
import { poll } from './poll.js';
import { leadLink } from './redrive.js';
import { badge, isOver as isEnded, rebadge } from './words.js';

const pollMs = 1_000;
const mostShown = 200;

/**
 * @typedef {{ leadId: string, outcome: string, message?: string, state?: string }} Result
 * @typedef {{ state: string, count: number, done: number, failedToStart: number, remaining: number, results?: Result[] }} Run
 */

/** @param {HTMLElement} place @param {string} id @param {(id: string, stopped: () => void) => void} stop */
export function followRedrive(place, id, stop) {
  const sign = badge('running');
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Leads that were sent again' });
  const words = h('p', {});
  const report = h('div', {});
  const problem = h('div', {});
  const halt = h('button', { type: 'button', class: 'grave', onclick: () => stop(id, () => polling.now()) }, 'Stop …');
  place.replaceChildren(
    h(
      'section',
      { class: 'panel' },
      h('div', { class: 'title' }, h('h2', {}, 'Sending again'), sign),
      bar,
      words,
      problem,
      h('div', { class: 'actions' }, halt),
      report,
    ),
  );

  let reported = '';

  async function refresh(/** @type {AbortSignal} */ signal) {
    try {
      /** @type {Run} */
      const run = await get(`/api/redrives/${encodeURIComponent(id)}?limit=${mostShown}`, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      show(run);
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  }

  /** @param {Run} run */
  function show({ state, count, done, failedToStart, remaining, results = [] }) {
    rebadge(sign, state);
    bar.max = Math.max(count, 1);
    bar.value = count - remaining;
    write(
      words,
      `${done.toLocaleString()} of ${count.toLocaleString()} sent again, ${failedToStart.toLocaleString()} could not be started, ${remaining.toLocaleString()} to go.`,
    );
    const isOver = state !== 'running';
    if (isOver && !halt.hidden) announce(`${state === 'stopped' ? 'Stopped' : 'Done'}: ${words.textContent}`);
    halt.hidden = isOver;
    if (isOver && results.every(({ state: now = 'failed' }) => isEnded.has(now) || now === 'parked')) polling.stop();
    const said = JSON.stringify([isOver, results]);
    if (said !== reported) report.replaceChildren(...(isOver ? reportOf(results, count) : []));
    reported = said;
  }

  const polling = poll(pollMs, refresh);
  return { close: polling.stop };
}

/** The ones that need somebody first. @param {Result[]} results @param {number} count */
function reportOf(results, count) {
  const bad = results.filter(({ outcome }) => outcome !== 'started');
  const shown = [...bad, ...results.filter(({ outcome }) => outcome === 'started')].slice(0, mostShown);
  if (shown.length === 0) return [];
  const rows = shown.map((result) =>
    h(
      'tr',
      {},
      h('td', {}, leadLink(result)),
      h('td', {}, result.outcome),
      h('td', {}, result.state && badge(result.state)),
      h('td', {}, result.message),
    ),
  );
  const cut = results.length > shown.length ? [h('p', { class: 'soft' }, `The first ${mostShown} of ${count.toLocaleString()}.`)] : [];
  const heads = ['Lead', 'Started', 'It is now', 'Why not'].map((name) => h('th', { scope: 'col' }, name));
  return [
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Report' },
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows)),
    ),
    ...cut,
  ];
}
