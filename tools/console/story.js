/** Shows one attempt: the lead, its exchanges and the decisions. */
import { h, write } from './dom.js';
import { mendedTable } from './mended.js';
import { fieldList, showTimeline } from './timeline.js';

/**
 * @typedef {{ name: string, state: string, startedAt?: string, endedAt?: string, attempts: number, error?: { code: string, message: string } }} Step
 * @typedef {object} Exchange
 * @property {string} call
 * @property {string} [step]
 * @property {string} [temporalUrl] its event in the Temporal UI
 * @property {string} [startedAt]
 * @property {string} [endedAt]
 * @property {number} [status] of the answer
 * @property {unknown} [request]
 * @property {unknown} [answer]
 * @property {{ contentType?: string, bytes: number, isCut?: true, text?: string }} [rawAnswer] an answer that was not understood
 * @property {{ code: string, message: string, status?: number }} [error]
 * @property {string[]} [fields]
 * @typedef {{ at: string, verb: string, reason: string, upstreamId?: string, by?: string }} Decision
 * @typedef {{ field: string, before?: unknown, after?: unknown }} Mended
 * @typedef {{ attempt: number, steps: Step[], clear: boolean, lead: Record<string, unknown>, mended?: Mended[], exchanges: Exchange[], decisions: Decision[] }} Story
 */

/** @param {(clear: boolean) => void} setClear */
export function storyPanels(setClear) {
  let isClear = false;
  const leadTitle = h('h2', {});
  const clearButton = h('button', { type: 'button', class: 'plain', onclick: () => setClear(!isClear) }, 'Show in clear');
  const person = h('div', { class: 'person' });
  const happened = h('h2', {});
  const unread = h('p', { class: 'soft' }, 'No worker answers. The steps appear as soon as one does.');
  const timeline = h('ol', { class: 'timeline' });
  const panels = [
    h('section', { class: 'panel' }, h('div', { class: 'title' }, leadTitle, clearButton), person),
    h('section', { class: 'panel' }, happened, unread, timeline),
  ];
  hide();

  /** @param {Story} story @param {boolean} isOneOfMany */
  function show(story, isOneOfMany) {
    const { attempt, lead, mended = [], steps, exchanges, clear } = story;
    isClear = clear;
    write(leadTitle, attempt === 1 ? 'The lead as accepted' : 'The lead as redriven');
    write(happened, isOneOfMany ? `What happened in attempt ${attempt}` : 'What happened');
    write(clearButton, clear ? 'Mask again' : 'Show in clear');
    person.replaceChildren(...mendedTable(mended), fieldList(lead, new Set(exchanges.flatMap(({ fields = [] }) => fields))));
    unread.hidden = steps.length > 0;
    showTimeline(timeline, story);
    for (const panel of panels) panel.hidden = false;
  }

  function hide() {
    for (const panel of panels) panel.hidden = true;
  }

  return { panels, show, hide };
}
