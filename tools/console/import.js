/** Shows the page that imports a file of leads. It checks the file, asks for confirmation with the number of rows, and then sends it. */
import { sendFile, wordsOf } from './api.js';
import { openDialog } from './dialog.js';
import { announce, counted, h, message } from './dom.js';
import { field } from './fields.js';
import { followImport, startImport } from './import-run.js';
import { tableOf } from './table.js';
import { flows } from './words.js';

const usualRatePerS = 5;
const mostShown = 200;

/**
 * @typedef {{ line: number, field: string, message: string }} Problem
 * @typedef {{ column: number, name: string, like?: string }} Column
 * @typedef {{ rows: number, good: number, badRows: number, duplicateRows: number, knownRows: number }} Counts
 * @typedef {Counts & { bad: Problem[], duplicates: { line: number, of: number }[], unknownColumns: Column[] }} Report
 */

/** @param {string} id */
const addressOf = (id) => `#/import?${new URLSearchParams({ id })}`;

/** @param {HTMLElement} main @param {URLSearchParams} firstQuery */
export function openImport(main, firstQuery) {
  const flow = h('select', { id: 'import-flow' }, ...flows.map((name) => h('option', { value: name }, name)));
  const chosen = h('input', { id: 'import-file', type: 'file', accept: '.csv,.txt,.tsv,text/csv', required: true });
  const dropUnknown = checkbox('Leave out columns that are not fields of the flow');
  const checked = h('div', { class: 'start', 'aria-live': 'polite' });
  const running = h('div', {});
  const check = h('button', { class: 'primary' }, 'Check the file');
  let closing = new AbortController();
  /** @type {{ close(): void } | undefined} */
  let following;

  const form = h(
    'form',
    { class: 'start', onsubmit: (/** @type {Event} */ event) => void checkIt(event), onchange: forgetCheck },
    h('div', { class: 'fields' }, field('File', chosen), field('Flow of every row', flow)),
    dropUnknown.label,
    h('div', { class: 'actions' }, check),
  );
  main.replaceChildren(
    h('h1', {}, 'Import'),
    h(
      'p',
      { class: 'lead' },
      'Each row of a CSV file becomes a lead. The first row names fields of the flow, as in ',
      h('a', { href: '/docs' }, 'the reference'),
      '. The file is checked first; nothing is sent before you confirm.',
    ),
    h('section', { class: 'panel' }, h('h2', {}, '1. Choose a file'), form, checked),
    running,
  );

  function forgetCheck() {
    closing.abort();
    closing = new AbortController();
    check.disabled = false;
    checked.replaceChildren();
  }

  const queryOf = (/** @type {Record<string, string>} */ more) =>
    new URLSearchParams({ flow: flow.value, ...(dropUnknown.input.checked && { dropUnknown: 'true' }), ...more });

  /** @param {Event} event */
  async function checkIt(event) {
    event.preventDefault();
    const [file] = chosen.files ?? [];
    if (!file) return;
    forgetCheck();
    const { signal } = closing;
    check.disabled = true;
    checked.replaceChildren(h('p', { class: 'soft' }, 'Checking …'));
    try {
      /** @type {Report} */
      const report = await (await sendFile(`/api/imports?${queryOf({ check: 'true' })}`, file, { signal })).json();
      if (!signal.aborted) checked.replaceChildren(...told(report), isReady(report) ? startForm(file, report) : notReady(report));
    } catch (error) {
      if (!signal.aborted) checked.replaceChildren(message('bad', wordsOf(error)));
    }
    if (!signal.aborted) check.disabled = false;
  }

  /** @param {Report} report */
  const isReady = ({ good, unknownColumns }) => good > 0 && (unknownColumns.length === 0 || dropUnknown.input.checked);

  /** @param {File} file @param {Report} report */
  function startForm(file, { good, badRows }) {
    const rate = h('input', { id: 'import-rate', type: 'number', min: 1, max: 50, value: usualRatePerS, required: true });
    const skipBad = checkbox(`Leave out the ${rowsOf(badRows)} with errors`);
    skipBad.input.required = true;

    /** @param {Event} event */
    function ask(event) {
      event.preventDefault();
      const query = queryOf({ ratePerS: rate.value, ...(badRows > 0 && { skipBad: 'true' }) });
      openDialog({
        title: `Send ${rowsOf(good)}?`,
        means: `Each becomes a lead of the flow ${flow.value}, at most ${rate.value} per second. A sent lead cannot be recalled.`,
        label: `Send ${rowsOf(good)}`,
        inputs: [],
        act: async (_, order) => {
          const id = await startImport(`/api/imports?${query}`, file, order);
          chosen.value = '';
          forgetCheck();
          announce(`${rowsOf(good)} are being sent`);
          location.hash = addressOf(id);
        },
      });
    }

    return h(
      'form',
      { class: 'start', onsubmit: ask },
      h('h2', {}, '2. Set the rate'),
      badRows > 0 && skipBad.label,
      h('div', { class: 'fields' }, field('Leads per second', rate)),
      h('div', { class: 'actions' }, h('button', { class: 'primary' }, `Send ${rowsOf(good)} …`)),
    );
  }

  /** @param {URLSearchParams} query */
  function update(query) {
    following?.close();
    following = undefined;
    running.replaceChildren();
    const id = query.get('id');
    if (id) following = followImport(running, id);
  }

  update(firstQuery);
  return {
    close() {
      closing.abort();
      following?.close();
    },
    update,
  };
}

/** @param {Report} report */
const notReady = ({ unknownColumns }) =>
  message(
    'warn',
    unknownColumns.length > 0 ? 'Rename these columns in the file or leave them out, then check it again.' : 'No row can be sent.',
  );

/** @param {number} count */
const rowsOf = (count) => counted(count, 'row');

/** Formats the report of a check. @param {Report} report */
function told({ rows, good, badRows, duplicateRows, knownRows, bad, duplicates, unknownColumns }) {
  const others = [
    [badRows, 'with errors'],
    [duplicateRows, 'that repeat another row'],
    [knownRows, 'sent before'],
  ];
  const parts = others.flatMap(([count, words]) => (Number(count) > 0 ? [`, ${Number(count).toLocaleString()} ${words}`] : []));
  const problems = [
    ...unknownColumns.map(({ column, name, like }) => [
      '1',
      name,
      `is not a field of this flow (column ${column})${like ? `; did you mean ${like}?` : ''}`,
    ]),
    ...bad.map(({ line, field: name, message: said }) => [line, name, said]),
    ...duplicates.map(({ line, of }) => [line, '', `has the same lead as line ${of}`]),
  ];
  const shown = problems.slice(0, mostShown);
  return [
    h('p', {}, h('b', {}, rowsOf(rows)), `: ${good.toLocaleString()} can be sent`, ...parts, '.'),
    ...(shown.length > 0 ? [tableOf('Problems', ['Line', 'Column', 'Problem'], shown)] : []),
    ...(shown.length < problems.length ? [h('p', { class: 'soft' }, `The first ${mostShown} are shown.`)] : []),
  ];
}

/** @param {string} words */
function checkbox(words) {
  const input = h('input', { type: 'checkbox' });
  return { input, label: h('label', { class: 'choice' }, input, words) };
}
