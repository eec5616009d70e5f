/** Finds the reason of an order. The audit trail does not hold it: it is kept with the lead, encrypted. */
import { get, leadPath, wordsOf } from './api.js';
import { h } from './dom.js';

/**
 * @typedef {{ leadId?: string, action: string, at: string, outcome?: string }} Order
 * @typedef {{ attempt: number, startedAt: string, reason?: string }} Attempt
 * @typedef {{ at: string, verb: string, reason: string }} Decision
 */

const decisions = new Set(['resend', 'confirm', 'discard']);

/** A button that shows the reason in its place; false for an order without one. @param {Order} order @returns {HTMLElement | false} */
export function reasonButton(order) {
  const { leadId, action, outcome } = order;
  if (!leadId || outcome !== 'done' || !(decisions.has(action) || action === 'redrive')) return false;
  const place = h('span', { class: 'soft', role: 'status' });
  const button = h('button', { type: 'button', class: 'plain small', onclick: () => void tell() }, 'Why?');

  async function tell() {
    button.hidden = true;
    place.replaceChildren(await reasonOf(leadId ?? '', order).catch(wordsOf));
  }

  return h('div', { class: 'because' }, button, place);
}

/** The engine's clock and the gateway's may differ by this much. */
const slackMs = 1_000;

/** The newest that happened before the order had its outcome. @template T @param {readonly T[]} all @param {(one: T) => string} atOf @param {Order} order */
const lastBefore = (all, atOf, { at }) => all.findLast((one) => Date.parse(atOf(one)) <= Date.parse(at) + slackMs);

/** @param {string} leadId @param {Order} order @returns {Promise<string>} */
async function reasonOf(leadId, order) {
  /** @type {{ attempts: Attempt[] }} */
  const { attempts } = await get(leadPath(leadId));
  const attempt = lastBefore(attempts, ({ startedAt }) => startedAt, order);
  if (order.action === 'redrive') return attempt?.reason ?? unknown;
  if (!attempt) return unknown;
  /** @type {{ decisions: Decision[] }} */
  const story = await get(`${leadPath(leadId)}/exchanges?attempt=${attempt.attempt}`);
  const decided = story.decisions.filter(({ verb }) => verb === order.action);
  return lastBefore(decided, ({ at }) => at, order)?.reason ?? unknown;
}

const unknown = 'The reason is not kept any more.';
