/** Shows one bulk redrive: its progress, and what became of each lead. */
import { get, wordsOf } from './api.js';
import { announce, h, message, write } from './dom.js';
import { poll } from './poll.js';
import { leadLink } from './redrive.js';
import { badge, isOver as isEnded, rebadge } from './words.js';

const pollMs = 1_000;
const mostShown = 200;

/**
 * @typedef {{ leadId: string, outcome: string, message?: string, state?: string }} Result
 * @typedef {{ state: string, count: number, done: number, failedToStart: number, remaining: number, results?: Result[], nextCursor?: string }} Run
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
  /** The leads of an ended run that did not start; they no longer change. @type {Result[] | undefined} */
  let notStarted;

  /** @param {AbortSignal} signal @param {string} [cursor] @returns {Promise<Run>} */
  const page = (signal, cursor = '0') => get(`/api/redrives/${encodeURIComponent(id)}?limit=${mostShown}&cursor=${cursor}`, signal);

  async function refresh(/** @type {AbortSignal} */ signal) {
    try {
      const run = await page(signal);
      if (run.state !== 'running') notStarted ??= await allNotStarted(run, (cursor) => page(signal, cursor));
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
      `${(done - failedToStart).toLocaleString()} of ${count.toLocaleString()} sent again, ${failedToStart.toLocaleString()} could not be started, ${remaining.toLocaleString()} to go.`,
    );
    const isOver = state !== 'running';
    if (isOver && !halt.hidden) announce(`${state === 'stopped' ? 'Stopped' : 'Done'}: ${words.textContent}`);
    halt.hidden = isOver;
    if (isOver && results.every(({ state: now = 'failed' }) => isEnded.has(now) || now === 'parked')) polling.stop();
    const said = JSON.stringify([isOver, results]);
    if (said !== reported)
      report.replaceChildren(...(isOver ? reportOf([...(notStarted ?? []), ...results.filter(isStarted)], count) : []));
    reported = said;
  }

  const polling = poll(pollMs, refresh);
  return { close: polling.stop };
}

const isStarted = (/** @type {Result} */ { outcome }) => outcome === 'started';

/** Reads the report until as many as can be shown are found. @param {Run} first @param {(cursor: string) => Promise<Run>} pageAt */
async function allNotStarted(first, pageAt) {
  const found = [];
  for (let at = first; ; at = await pageAt(at.nextCursor)) {
    found.push(...(at.results ?? []).filter((result) => !isStarted(result)));
    if (!at.nextCursor || found.length >= Math.min(first.failedToStart, mostShown)) return found;
  }
}

/** @param {Result[]} results leads that need a person come first @param {number} count */
function reportOf(results, count) {
  const shown = results.slice(0, mostShown);
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
  const words = `${shown.length} of ${count.toLocaleString()} are shown, those that could not be started first.`;
  const cut = shown.length < count ? [h('p', { class: 'soft' }, words)] : [];
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
