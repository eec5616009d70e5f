/** Shows a bulk order: its progress, why leads were left unchanged, and the result of each lead. */
import { get, wordsOf } from './api.js';
import { announce, h, message, write } from './dom.js';
import { poll } from './poll.js';
import { leadLink, tableOf } from './table.js';
import { badge, rebadge, settled } from './words.js';

const pollMs = 1_000;
const mostShown = 200;
const usual = new Set(['started', 'decided', 'resent']);

/**
 * @typedef {{ leadId: string, outcome: string, message?: string, state?: string }} Result
 * @typedef {{ outcome: string, message?: string, count: number }} Reason
 * @typedef {{ state: string, verb?: string, count: number, done: number, by?: string, reason: string, failedToStart?: number, notDecided?: number, notResent?: number, remaining: number, reasons?: Reason[], results?: Result[], nextCursor?: string }} Run
 */

/**
 * @param {import('./many-words.js').Kind} kind
 * @param {HTMLElement} place
 * @param {string} id
 * @param {(id: string, stopped: () => void) => void} stop
 */
export function followOrder(kind, place, id, stop) {
  const title = h('h2', {}, kind.doing);
  const sign = badge('running');
  const bar = h('progress', { max: 1, value: 0, 'aria-label': `Leads that were ${kind.done}` });
  const words = h('p', {});
  const ordered = h('p', { class: 'soft' });
  const reasons = h('ul', { class: 'earlier', hidden: true });
  const report = h('div', {});
  const problem = h('div', {});
  const halt = h('button', { type: 'button', class: 'grave', onclick: () => stop(id, () => polling.now()) }, 'Stop …');
  place.replaceChildren(
    h(
      'section',
      { class: 'panel' },
      h('div', { class: 'title' }, title, sign),
      ordered,
      bar,
      words,
      reasons,
      problem,
      h('div', { class: 'actions' }, halt),
      report,
    ),
  );

  let reported = '';
  /** The leads that an ended order left unchanged. This list no longer changes. @type {Result[] | undefined} */
  let notDone;

  /** @param {AbortSignal} signal @param {string} [more] @returns {Promise<Run>} */
  const page = (signal, more = '') => get(`${kind.path}/${encodeURIComponent(id)}?limit=${mostShown}${more}`, signal);

  async function refresh(/** @type {AbortSignal} */ signal) {
    try {
      const run = await page(signal);
      if (run.state !== 'running') notDone ??= await allNotDone(run, (outcome) => page(signal, `&outcome=${outcome}`));
      if (signal.aborted) return;
      problem.replaceChildren();
      show(run);
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  }

  /** @param {Run} run */
  function show({ state, count, done, remaining, reasons: why = [], results = [], ...run }) {
    const left = refusedIn(run);
    rebadge(sign, state);
    write(title, kind.doingBy?.[run.verb ?? ''] ?? kind.doing);
    write(ordered, whoAndWhy(run));
    bar.max = Math.max(count, 1);
    bar.value = count - remaining;
    write(
      words,
      `${(done - left).toLocaleString()} of ${count.toLocaleString()} ${kind.done}, ${left.toLocaleString()} ${kind.notDone}, ${remaining.toLocaleString()} ${state === 'stopped' ? 'left unchanged' : 'remaining'}.`,
    );
    const unusual = why.filter(({ outcome }) => !usual.has(outcome));
    reasons.hidden = unusual.length === 0;
    reasons.replaceChildren(
      ...unusual.map(({ outcome, message: said, count: many }) => h('li', {}, h('b', {}, many.toLocaleString()), ` ${outcome}: `, said)),
    );
    const isOver = state !== 'running';
    if (isOver && !halt.hidden) announce(`${state === 'stopped' ? 'Stopped' : 'Done'}: ${words.textContent}`);
    halt.hidden = isOver;
    if (isOver && results.every(({ state: now }) => now === undefined || settled.has(now))) polling.stop();
    const said = JSON.stringify([isOver, results]);
    if (said !== reported)
      report.replaceChildren(
        ...(isOver ? reportOf([...(notDone ?? []), ...results.filter(({ outcome }) => outcome === kind.usual)], count) : []),
      );
    reported = said;
  }

  const polling = poll(pollMs, refresh);
  return { close: polling.stop };
}

/** Who gave the order, and why. @param {Pick<Run, 'by' | 'reason'>} run */
export const whoAndWhy = ({ by = 'local', reason }) => `${by}: ${reason}`;

/** @param {Pick<Run, 'failedToStart' | 'notDecided' | 'notResent'>} run */
export const refusedIn = ({ failedToStart, notDecided, notResent }) => failedToStart ?? notDecided ?? notResent ?? 0;

/**
 * Reads the results of each unusual outcome, as many as can be shown.
 * @param {Run} run @param {(outcome: string) => Promise<Run>} pageOf
 */
async function allNotDone(run, pageOf) {
  const outcomes = [...new Set((run.reasons ?? []).map(({ outcome }) => outcome))];
  const pages = [];
  for (const outcome of outcomes) if (!usual.has(outcome)) pages.push(await pageOf(outcome));
  return pages.flatMap(({ results = [] }) => results).slice(0, mostShown);
}

/** @param {Result[]} results leads that need a person come first @param {number} count */
function reportOf(results, count) {
  const shown = results.slice(0, mostShown);
  if (shown.length === 0) return [];
  const rows = shown.map((result) => [leadLink(result), result.outcome, result.state && badge(result.state), result.message]);
  const words = `${shown.length} of ${count.toLocaleString()} are shown, unchanged leads first.`;
  const cut = shown.length < count ? [h('p', { class: 'soft' }, words)] : [];
  return [tableOf('Report', ['Lead', 'Outcome', 'Current state', 'Reason'], rows), ...cut];
}
