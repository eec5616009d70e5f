/** Creates the button that shows the evidence of an action: its reason, and what it changed. */
import { get, wordsOf } from './api.js';
import { h } from './dom.js';
import { mendedTable } from './mended.js';

/**
 * @typedef {{ before?: unknown, after?: unknown }} Change
 * @typedef {{ reason?: string, upstreamId?: string, changed?: Record<string, Change>, erased?: true, unreadable?: string }} Evidence
 * @typedef {{ file: string, seq: number, at: string, action: string, evidence?: Evidence }} Act
 */

const heads = ['Changed', 'Before', 'After'];

/** Returns a button that shows the evidence next to it; false for an action without evidence. @param {Act} act @returns {HTMLElement | false} */
export function reasonButton(act) {
  const { evidence } = act;
  if (!evidence) return false;
  const place = h('div', { class: 'soft', role: 'status' });
  const button = h('button', { type: 'button', class: 'plain small', onclick: () => tell(evidence) }, 'Why?');
  const clearButton = h('button', { type: 'button', class: 'plain small', onclick: () => void showClear() }, 'Show in clear');

  /** @param {Evidence} told @param {boolean} [isClear] */
  function tell(told, isClear = false) {
    button.hidden = true;
    const { upstreamId, changed = {} } = told;
    const hasValues = upstreamId !== undefined || Object.keys(changed).length > 0;
    place.replaceChildren(
      ...linesOf(told).map((line) => h('div', {}, line)),
      ...mendedTable(
        Object.entries(changed).map(([field, change]) => ({ field, ...change })),
        heads,
      ),
      ...(hasValues && !isClear ? [clearButton] : []),
    );
  }

  async function showClear() {
    clearButton.disabled = true;
    try {
      tell(await inClear(act), true);
    } catch (error) {
      place.append(wordsOf(error));
      clearButton.disabled = false;
    }
  }

  return h('div', { class: 'because' }, button, place);
}

/** @param {Evidence} evidence */
function linesOf({ reason, upstreamId, erased, unreadable }) {
  return [
    ...(erased ? ['The evidence was erased with the person.'] : []),
    ...(unreadable ? [`The evidence cannot be read. ${unreadable}.`] : []),
    ...(reason === undefined ? [] : [reason]),
    ...(upstreamId === undefined ? [] : [`Id in the upstream: ${upstreamId}`]),
  ];
}

/** Reads the evidence of one entry in clear; the audit trail records that. @param {Act} act @returns {Promise<Evidence>} */
async function inClear({ file, seq, at, action }) {
  /** @type {{ entries: Act[] }} */
  const { entries } = await get(`/api/audit?${new URLSearchParams({ since: at, until: at, action, clear: 'true' })}`);
  const found = entries.find((entry) => entry.file === file && entry.seq === seq);
  return found?.evidence ?? { unreadable: 'The entry is no longer there' };
}
