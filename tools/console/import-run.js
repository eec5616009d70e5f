/**
 * Runs imports in the background, and shows the progress of one by its id. An import continues while another page of the console is shown.
 * Only the results of its rows are kept, never the file.
 */
import { get, linesOf, Refused, sendFile, wordsOf } from './api.js';
import { csvOf } from './csv.js';
import { openDialog } from './dialog.js';
import { announce, counted, h, message, write } from './dom.js';
import { exportButton } from './export.js';
import { poll } from './poll.js';
import { save } from './save.js';
import { leadLink, tableOf } from './table.js';
import { badge, delivered, rebadge, settled, states } from './words.js';

const pollMs = 1_000;
const mostShown = 200;
const columns = /** @type {const} */ (['line', 'state', 'leadId', 'status', 'code', 'message']);

/**
 * @typedef {{ line: number, state: string, leadId?: string, status?: number, code?: string, message?: string }} Row
 * @typedef {object} Run
 * @property {number} lines the number of rows that get a result
 * @property {Row[]} rows
 * @property {boolean} isSandbox
 * @property {'running' | 'done' | 'stopped'} state
 * @property {string} [why] why not every row was processed
 * @property {() => void} stop
 */

/** @type {Map<string, Run>} */
const runs = new Map();

/** While an import runs, the browser asks for confirmation before it closes the page. */
addEventListener('beforeunload', (event) => {
  if ([...runs.values()].some(({ state }) => state === 'running')) event.preventDefault();
});

/** Sends the file, and returns the import's id as soon as the import has started. @param {string} path @param {File} file @param {string} order */
export async function startImport(path, file, order) {
  const stopping = new AbortController();
  const lines = linesOf(await sendFile(path, file, { order, signal: stopping.signal }));
  const begin = await lines.next().catch(() => undefined);
  if (!begin?.value) throw new Refused(0, 'The connection broke. Send the file again: no row is sent twice.');
  const { importId, good, badRows, duplicateRows, sandbox } = begin.value;
  /** @type {Run} */
  const run = {
    lines: good + badRows + duplicateRows,
    rows: [],
    isSandbox: sandbox === true,
    state: 'running',
    stop: () => stopping.abort(),
  };
  runs.set(importId, run);
  void read(lines, run);
  return importId;
}

/** @param {AsyncGenerator<any>} lines @param {Run} run */
async function read(lines, run) {
  let isWhole = false;
  try {
    for await (const { kind, ...line } of lines) {
      if (kind === 'row') run.rows.push(line);
      else {
        isWhole = line.complete;
        run.why = line.message;
      }
    }
  } catch {
    run.why = 'The connection was closed';
  }
  run.state = isWhole ? 'done' : 'stopped';
}

/** @param {HTMLElement} place @param {string} id */
export function followImport(place, id) {
  const run = runs.get(id);
  const sign = badge('running');
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Rows with a result' });
  const words = h('p', {});
  const chips = h('ul', { class: 'chips', 'aria-label': 'Leads of this import by state' });
  const problem = h('div', {});
  const ended = h('div', {});
  const report = h('div', {});
  const halt = h('button', { type: 'button', class: 'grave', onclick: () => run && stop(run, () => polling.now()) }, 'Stop …');
  const result = h('button', { type: 'button', onclick: () => run && saveResult(run.rows) }, 'Save the result file');
  const csv = exportButton(() => new URLSearchParams({ importId: id }), 'Save its leads');
  place.replaceChildren(
    h(
      'section',
      { class: 'panel' },
      h('div', { class: 'title' }, h('h2', {}, 'Import'), run && sign, h('span', { class: 'id soft' }, id)),
      run ? bar : notHere(),
      run?.isSandbox && message('note', 'The sandbox is used for an upstream.'),
      words,
      chips,
      problem,
      ended,
      h('div', { class: 'actions' }, run && halt, run && result, csv.button),
      csv.problem,
      report,
    ),
  );

  let shown = '';

  /** @param {Record<string, number>} counts */
  function showCounts(counts) {
    const asked = (/** @type {string} */ state) => `#/leads?${new URLSearchParams({ state, importId: id })}`;
    const found = states.filter((state) => (counts[state] ?? 0) > 0);
    chips.replaceChildren(
      ...found.map((state) => h('li', {}, h('a', { href: asked(state) }, badge(state), (counts[state] ?? 0).toLocaleString()))),
    );
    const leads = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const started = `It started ${counted(leads, 'lead')}.`;
    write(words, run ? `${run.rows.length.toLocaleString()} of ${run.lines.toLocaleString()} rows have a result. ${started}` : started);
  }

  /** @param {Run} run */
  function showRun({ state, rows, lines, why }) {
    const isOver = state !== 'running';
    if (isOver && !halt.hidden) announce(state === 'done' ? 'The import is done' : 'The import has stopped');
    rebadge(sign, state);
    bar.max = Math.max(lines, 1);
    bar.value = rows.length;
    halt.hidden = isOver;
    result.hidden = !isOver;
    const unusual = rows.filter((row) => !delivered.has(row.state)).toSorted((one, other) => one.line - other.line);
    ended.replaceChildren(...(state === 'stopped' ? [goOn(why)] : []));
    report.replaceChildren(...(unusual.length > 0 ? reportOf(unusual) : []));
  }

  const polling = poll(pollMs, async (signal) => {
    try {
      const isOver = run?.state !== 'running';
      const { counts } = await get(`/api/leads/counts?${new URLSearchParams({ importId: id })}`, signal);
      if (signal.aborted) return;
      problem.replaceChildren();
      const now = JSON.stringify([counts, run?.state, run?.rows.length]);
      if (now !== shown) showCounts(counts);
      if (run && now !== shown) showRun(run);
      shown = now;
      if (isOver && run && states.every((state) => settled.has(state) || !counts[state])) polling.stop();
    } catch (error) {
      if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
    }
  });
  return { close: polling.stop };
}

const notHere = () =>
  message('note', 'The rows of this import are not available in this tab. Below are the current states of the leads that it started.');

/** @param {string} [why] */
const goOn = (why = 'Not every row was sent') => message('warn', `${why}. Choose the same file again to continue: no row is sent twice.`);

/** @param {Run} run @param {() => void} stopped */
const stop = (run, stopped) =>
  openDialog({
    title: 'Stop the import',
    means: 'Rows that were sent stay sent; the others are not sent. Choose the same file again to continue.',
    label: 'Stop',
    isGrave: true,
    inputs: [],
    act: async () => {
      run.stop();
      announce('Stopped');
      stopped();
    },
  });

/** @param {Row[]} rows */
function reportOf(rows) {
  const shown = rows.slice(0, mostShown);
  const cells = shown.map(({ line, state, leadId, code, message: said }) => [
    line,
    [badge(state), leadId && leadLink(leadId)],
    said ?? code,
  ]);
  return [
    tableOf('Rows that were not delivered', ['Line', 'State', 'Reason'], cells),
    ...(shown.length < rows.length ? [h('p', { class: 'soft' }, `${shown.length} of ${rows.length.toLocaleString()} are shown.`)] : []),
  ];
}

/** @param {Row[]} rows */
function saveResult(rows) {
  save(
    'import.result.csv',
    csvOf(
      columns,
      rows.toSorted((one, other) => one.line - other.line),
    ),
  );
  announce('The result is saved as import.result.csv');
}
