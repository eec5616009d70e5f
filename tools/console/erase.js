/** Shows the page that erases a person: it counts their leads, erases them after a confirmation, and shows the receipt. */
import { fullWordsOf, post } from './api.js';
import { openDialog } from './dialog.js';
import { announce, counted, h, message } from './dom.js';
import { field, queryOf, searchInput, showQuery } from './fields.js';
import { poll } from './poll.js';
import { leadLink, tableOf } from './table.js';
import { time } from './time.js';
import { badge } from './words.js';

const path = '/api/erase';
const pollMs = 1_000;
const fields = /** @type {const} */ ([
  ['email', 'E-mail'],
  ['phone', 'Phone'],
  ['patientId', 'PatientID'],
  ['instanceName', 'Only for this site (optional)'],
]);
const reason = { name: 'reason', label: 'Reason (not stored)', long: true };

/**
 * @typedef {{ flow: string, state: string, site?: string, leads: number }} Count
 * @typedef {{ leads: number, runs: number, counts: Count[], onTheWire?: number, underWay?: string[] }} Found
 * @typedef {Found & { success: boolean, receiptId: string, erasedAt: string }} Answer
 */

/** The person is only in the form and in requests, never in the address or in storage. @param {HTMLElement} main */
export function openErase(main) {
  const inputs = fields.map(([name, label]) => ({ name, label, type: 'text', input: searchInput({ id: `erase-${name}`, type: 'text' }) }));
  const set = h('fieldset', {}, h('legend', { class: 'unseen' }, 'The person'), h('div', { class: 'fields' }, ...inputs.map(toField)));
  const count = h('button', { class: 'primary' }, 'Count');
  const result = h('div', { class: 'start', 'aria-live': 'polite' });
  /** @type {ReturnType<typeof poll> | undefined} */
  let polling;
  /** Changes with each edit of the person, so that a count of an earlier one is ignored. */
  let edits = 0;
  let isLeft = false;

  const forget = () => {
    edits += 1;
    result.replaceChildren();
  };

  /** @param {SubmitEvent} event */
  async function countThem(event) {
    event.preventDefault();
    forget();
    const asked = edits;
    const person = Object.fromEntries(queryOf(inputs));
    const tell = (/** @type {Node[]} */ ...answer) => edits === asked && result.replaceChildren(...answer);
    tell(h('p', { class: 'soft' }, 'Counting …'));
    try {
      tell(...found(person, await post(path, { ...person, reason: 'count', dryRun: true })));
    } catch (error) {
      tell(message('bad', fullWordsOf(error)));
    }
  }

  /** @param {Record<string, string>} person @param {Found} people */
  function found(person, people) {
    const sum = sumOf(people);
    const means = `Open leads are cancelled, and everything that is stored of this person is deleted, so it may be more than the ${sum}. It cannot be undone. The upstream still has the person.`;
    const label = `Erase ${leadsOf(people)}`;
    const ask = () =>
      openDialog({
        title: `${label}?`,
        means,
        label,
        isGrave: true,
        inputs: [reason],
        act: async (values) => follow({ ...person, ...values }, await post(path, { ...person, ...values })),
      });
    return [
      h('h2', {}, `${sum} found`),
      ...tableIn(people),
      h('div', { class: 'actions' }, h('button', { type: 'button', class: 'grave', onclick: ask }, `${label} …`)),
    ];
  }

  /** Shows the receipt, or repeats the request until there is one. @param {Record<string, string>} request @param {Answer} first */
  function follow(request, first) {
    if (isLeft) return;
    set.disabled = count.disabled = true;
    const show = (/** @type {Answer} */ answer) => (answer.success ? showReceipt(answer) : showProgress(answer));
    show(first);
    if (first.success) return;
    const problem = h('div', {});
    result.after(problem);
    let isOver = false;
    polling = poll(pollMs, async () => {
      try {
        const answer = await post(path, request);
        if (isOver) return;
        isOver = answer.success;
        problem.replaceChildren();
        show(answer);
      } catch (error) {
        problem.replaceChildren(message('bad', fullWordsOf(error)));
      }
    });
  }

  /** @param {Answer} answer */
  function showProgress(answer) {
    result.replaceChildren(
      h('h2', {}, 'Erasing …'),
      h(
        'p',
        {},
        `${sumOf(answer)} erased so far. The erasure continues if you leave this page; erase the person again to see its progress.`,
      ),
    );
  }

  /** @param {Answer} answer */
  function showReceipt(answer) {
    polling?.stop();
    showQuery(inputs, new URLSearchParams());
    set.disabled = count.disabled = false;
    const { receiptId, erasedAt, onTheWire = 0, underWay = [] } = answer;
    const words = `${onTheWire.toLocaleString()} of the leads were being sent or looked up, so look in the upstream`;
    result.replaceChildren(
      h('h2', {}, `${sumOf(answer)} erased`),
      h('p', {}, 'Receipt ', h('b', { class: 'id' }, receiptId), ', ', time(erasedAt)),
      ...(onTheWire > 0 ? [message('warn', words, underWay.length > 0 && ': ', ...underWay.flatMap((id) => [leadLink(id), ' ']))] : []),
      ...tableIn(answer),
    );
    announce(`Erased; receipt ${receiptId}`);
  }

  main.replaceChildren(
    h('h1', {}, 'Erase a person'),
    h(
      'p',
      { class: 'lead' },
      'A lead matches if any of the e-mail, the phone and the PatientID does. Nothing is erased before you confirm.',
    ),
    h(
      'section',
      { class: 'panel' },
      h('form', { class: 'start', onsubmit: countThem, oninput: forget }, set, h('div', { class: 'actions' }, count)),
      result,
    ),
  );
  const close = () => {
    isLeft = true;
    polling?.stop();
  };
  return { close, update: () => {} };
}

/** @param {{ label: string, input: HTMLInputElement }} control */
const toField = ({ label, input }) => field(label, input);

/** @param {Found} found */
const leadsOf = ({ leads }) => counted(leads, 'lead');
/** @param {Found} found */
const sumOf = ({ leads, runs }) => `${counted(leads, 'lead')}, ${counted(runs, 'run')}`;

/** @param {Found} found */
const tableIn = ({ counts }) =>
  counts.length > 0
    ? [
        tableOf(
          'Leads',
          ['Flow', 'State', 'Site', 'Leads'],
          counts.map(({ flow, state, site, leads }) => [flow, badge(state), site, leads]),
        ),
      ]
    : [];
