/** Shows a reconciliation: its progress, its findings, and what it proposes for parked leads, which one decision carries out. */
import { get, post, wordsOf } from './api.js';
import { createChips } from './chips.js';
import { csvOf } from './csv.js';
import { openDialog, reasonInput } from './dialog.js';
import { announce, counted, h, keyed, message, write } from './dom.js';
import { narrowed } from './filter.js';
import { poll } from './poll.js';
import { addressOf, path, progressWords, starterOf, windowWords } from './reconciliations.js';
import { save } from './save.js';
import { leadLink, trailOf, trailRow } from './table.js';
import { time } from './time.js';
import { allBadge, badge, findingBadge, findings, proposalWords, rebadge } from './words.js';

/**
 * @typedef {object} Finding
 * @property {string} leadId
 * @property {string} [flow]
 * @property {string} [state] when it was compared
 * @property {string} finding
 * @property {string} [why]
 * @property {string} [upstreamId]
 * @property {string} [proposal]
 *
 * @typedef {object} More
 * @property {number} count
 * @property {number} done
 * @property {Record<string, number>} counts
 * @property {number} leftOut
 * @property {number} proposals
 * @property {string} [decisionId]
 * @property {string} [waitsFor]
 * @property {Finding[]} findings
 * @property {string} [nextCursor]
 *
 * @typedef {import('./reconciliations.js').Summary & More} Report
 */

const pollMs = 1_000;
const pageSize = 100;
const mostRead = 500;
const heads = ['Finding', 'Lead', 'Flow and state', 'Why', 'Id in the upstream', 'Proposal'];
const columns = /** @type {const} */ (['leadId', 'flow', 'state', 'finding', 'why', 'upstreamId', 'proposal']);
const filters = ['finding', 'proposed'];
const proposed = { proposed: 'true' };

/** @param {HTMLElement} main @param {URLSearchParams} firstQuery @param {string} id */
export function openReconciliation(main, firstQuery, id) {
  let query = firstQuery;
  const sign = badge('running');
  const facts = h('p', { class: 'soft' });
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Leads that were compared' });
  const words = h('p', {});
  const waits = h('div', {});
  const problem = h('div', {});
  const halt = h('button', { type: 'button', class: 'grave', onclick: stop }, 'Stop …');
  const look = h('a', { class: 'button primary', href: pageAddress(proposed) });
  const carry = h('button', { type: 'button', class: 'primary', onclick: () => void carryOut() });
  const carried = h('a', { class: 'button' });
  const chips = createChips('Findings');
  const body = h('tbody', { role: 'rowgroup' });
  const table = trailOf('Findings', heads, body);
  const empty = h('p', { class: 'empty' }, 'No lead has this finding.');
  const first = h('a', { class: 'button' }, 'First page');
  const next = h('a', { class: 'button' }, 'Next page');
  const files = [
    saveButton('csv', ({ findings: rows }) => csvOf(columns, rows)),
    saveButton('json', (report) => new Blob([JSON.stringify(report, undefined, 2)], { type: 'application/json' })),
  ];
  for (const each of [sign, bar, halt, look, carry, carried, table, empty, first, next, ...files]) each.hidden = true;

  main.replaceChildren(
    h('p', {}, h('a', { href: '#/reconciliations' }, '← Reconciliations')),
    h('div', { class: 'title' }, h('h1', {}, 'Reconciliation'), sign, h('span', { class: 'id soft' }, id)),
    h('section', { class: 'panel' }, facts, bar, words, waits, problem, h('div', { class: 'actions' }, halt, look, carry, carried)),
    chips.list,
    table,
    empty,
    h('nav', { class: 'actions', 'aria-label': 'Pages' }, first, next, ...files),
  );

  /** The newest report. @type {Report | undefined} */
  let told;

  /** @param {Record<string, string>} asked */
  function pageAddress(asked) {
    const more = new URLSearchParams(asked);
    return `${addressOf(id)}${more.size > 0 ? `?${more}` : ''}`;
  }

  /** @param {Record<string, string | number>} asked @param {AbortSignal} [signal] @returns {Promise<Report>} */
  const read = (asked, signal) =>
    get(
      `${path}/${encodeURIComponent(id)}?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`,
      signal,
    );

  const filter = () => Object.fromEntries(narrowed(query, filters));

  /** Reads the page of the address. Without a filter, alarming findings come first. @param {AbortSignal} signal @returns {Promise<Report>} */
  async function readPage(signal) {
    const from = Number(query.get('cursor') ?? 0);
    const chosen = filter();
    if (Object.keys(chosen).length > 0) return read({ ...chosen, limit: pageSize, cursor: from }, signal);
    const report = await read({ limit: 1 }, signal);
    const pages = [];
    for (const part of partsOf(report.counts, from)) pages.push(await read(part, signal));
    const upTo = from + pageSize;
    return { ...report, findings: pages.flatMap((page) => page.findings), nextCursor: upTo < report.done ? String(upTo) : undefined };
  }

  /** Reads the findings of all pages. @param {Record<string, string>} chosen @returns {Promise<Report>} */
  async function readAll(chosen) {
    const pages = [await read({ ...chosen, limit: mostRead })];
    for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
      pages.push(await read({ ...chosen, limit: mostRead, cursor }));
    const { nextCursor: _, ...report } = /** @type {Report} */ (pages.at(-1));
    return { ...report, findings: pages.flatMap((page) => page.findings).toSorted((one, other) => rankOf(one) - rankOf(other)) };
  }

  const follow = () =>
    poll(pollMs, async (signal) => {
      try {
        const report = await readPage(signal);
        if (signal.aborted) return;
        problem.replaceChildren();
        show(report);
        if (report.state !== 'running') polling.stop();
      } catch (error) {
        if (!signal.aborted) problem.replaceChildren(message('bad', wordsOf(error)));
      }
    });

  /** @param {Report} report */
  function show(report) {
    const { state, count, done, startedAt, endedAt, leftOut, waitsFor, nextCursor } = report;
    const isOver = state !== 'running';
    if (!told || told.endedAt !== endedAt || told.since !== report.since)
      facts.replaceChildren(
        h(
          'span',
          {},
          'Leads that were received or redriven from ',
          ...windowWords(report),
          '. Started ',
          time(startedAt),
          ` by ${starterOf(report)}`,
          endedAt && ', ended ',
          endedAt && time(endedAt),
          '.',
        ),
      );
    if (isOver && !halt.hidden) announce(`The reconciliation is ${state}`);
    rebadge(sign, state);
    bar.max = Math.max(count, 1);
    bar.value = done;
    write(words, `${progressWords(report)} compared.`);
    waits.replaceChildren(
      ...(waitsFor && !isOver ? [message('note', `It waits and tries again: ${waitsFor}`)] : []),
      ...(leftOut > 0 ? [message('warn', `${counted(leftOut, 'lead')} of this time left out: choose a shorter time or fewer flows.`)] : []),
    );
    told = report;
    sign.hidden = bar.hidden = false;
    halt.hidden = isOver;
    for (const file of files) file.hidden = done === 0;
    showChosen(report);
    keyed(body, report.findings, ({ leadId }) => leadId, rowOf);
    table.hidden = report.findings.length === 0;
    empty.hidden = !table.hidden || !isOver;
    first.hidden = !query.get('cursor');
    first.href = pageAddress(filter());
    next.hidden = !nextCursor;
    if (nextCursor) next.href = pageAddress({ ...filter(), cursor: nextCursor });
  }

  /** Shows what is chosen: which findings, and what can be done with them. @param {Report} report */
  function showChosen({ state, done, counts, proposals, decisionId }) {
    const isProposed = query.has('proposed');
    const chosen = query.get('finding') ?? '';
    const isOffered = state !== 'running' && proposals > 0 && !decisionId;
    write(look, `Look at ${counted(proposals, 'proposal')}`);
    write(carry, `Carry out ${counted(proposals, 'proposal')} …`);
    look.hidden = !isOffered || isProposed;
    carry.hidden = !isOffered || !isProposed;
    write(carried, `What became of ${counted(proposals, 'proposal')}`);
    carried.hidden = !decisionId;
    if (decisionId) carried.href = decisionPage(decisionId);
    chips.show([
      { key: '', said: [allBadge()], href: pageAddress({}), isChosen: !isProposed && !chosen, count: done },
      ...findings.map((finding) => ({
        key: finding,
        said: [findingBadge(finding)],
        href: pageAddress({ finding }),
        isChosen: finding === chosen,
        count: counts[finding] ?? 0,
      })),
      {
        key: 'proposed',
        said: [proposalBadge('with a proposal')],
        href: pageAddress(proposed),
        isChosen: isProposed,
        count: proposals,
      },
    ]);
  }

  function stop() {
    openDialog({
      title: 'Stop the reconciliation',
      means: 'What it has found so far stays; the other leads are not compared.',
      label: 'Stop',
      isGrave: true,
      inputs: [{ ...reasonInput, label: 'Reason (stored on the audit trail)' }],
      act: async (values) => {
        await post(`${path}/${encodeURIComponent(id)}/stop`, values);
        announce('Stopped');
        polling.now();
      },
    });
  }

  async function carryOut() {
    const place = location.hash;
    carry.disabled = true;
    const all = await readAll(proposed).catch((error) => problem.replaceChildren(message('bad', wordsOf(error))));
    carry.disabled = false;
    if (!all || location.hash !== place) return;
    const { proposals: count, findings: found } = all;
    openDialog({
      title: `Carry out ${counted(count, 'proposal')}`,
      means: `${carriedWords(found)}. A lead that was decided meanwhile stays unchanged.`,
      label: `Carry out ${counted(count, 'proposal')}`,
      inputs: [reasonInput],
      act: async (values, order) => {
        const { decisionId } = await post(`${path}/${encodeURIComponent(id)}/apply`, { ...values, count }, order);
        announce(`${counted(count, 'proposal')} are being carried out`);
        location.hash = decisionPage(decisionId);
      },
    });
  }

  /** Saves the findings that are chosen, from all pages. @param {'csv' | 'json'} ending @param {(report: Report) => Blob} blobOf */
  function saveButton(ending, blobOf) {
    const name = `reconciliation-${id}.${ending}`;
    const button = h('button', { type: 'button', onclick: () => void run() }, `Save as ${ending.toUpperCase()}`);

    async function run() {
      button.disabled = true;
      try {
        save(name, blobOf(await readAll(filter())));
        problem.replaceChildren();
        announce(`The findings are saved as ${name}`);
      } catch (error) {
        problem.replaceChildren(message('bad', wordsOf(error)));
      }
      button.disabled = false;
    }

    return button;
  }

  let polling = follow();
  return {
    close: () => polling.stop(),
    /** @param {URLSearchParams} wanted */
    update(wanted) {
      query = wanted;
      polling.stop();
      body.replaceChildren();
      if (told) showChosen(told);
      polling = follow();
    },
  };
}

/**
 * Returns which findings are on a page if they are listed by kind, as requests for parts of one page.
 * @param {Record<string, number>} counts @param {number} from
 */
function partsOf(counts, from) {
  return findings.flatMap((finding, at) => {
    const before = findings.slice(0, at).reduce((sum, other) => sum + (counts[other] ?? 0), 0);
    const cursor = Math.max(from - before, 0);
    const limit = Math.min(from + pageSize - before, counts[finding] ?? 0) - cursor;
    return limit > 0 ? [{ finding, cursor, limit }] : [];
  });
}

/** @param {Finding} finding */
const rankOf = ({ finding }) => findings.indexOf(finding);

/** @param {string} words */
const proposalBadge = (words) => h('span', { class: 'badge busy' }, words);

/** @param {Finding} finding */
const rowOf = ({ leadId, flow, state, finding, why, upstreamId, proposal }) =>
  trailRow([
    findingBadge(finding),
    leadLink(leadId),
    [flow, ' ', state && badge(state)],
    why,
    upstreamId && h('span', { class: 'whole' }, upstreamId),
    proposal && proposalBadge(proposalWords[proposal] ?? proposal),
  ]);

/** @param {string} id */
const decisionPage = (id) => `#/decide?${new URLSearchParams({ id })}`;

/** @type {Readonly<Record<string, string>>} */
const carriedOut = { resend: 'sent again', confirm: 'confirmed as arrived' };

/** @param {readonly Finding[]} found */
const carriedWords = (found) =>
  Object.entries(carriedOut)
    .flatMap(([proposal, words]) => {
      const { length } = found.filter((each) => each.proposal === proposal);
      return length > 0 ? [`${counted(length, 'lead')} ${length === 1 ? 'is' : 'are'} ${words}`] : [];
    })
    .join(', ');
