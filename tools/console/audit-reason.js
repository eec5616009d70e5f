/**
 * Creates the button that shows the reason of an operator action. The audit trail does not have it: it is stored encrypted, with the lead
 * or with the pauses.
 */
import { get, leadPath, wordsOf } from './api.js';
import { h } from './dom.js';

/**
 * @typedef {{ at: string, who: string, action: string, outcome?: string, leadId?: string, upstream?: unknown, instance?: unknown }} Order
 * @typedef {{ attempt: number, startedAt: string, reason?: string }} Attempt
 * @typedef {{ at: string, verb: string, reason: string }} Decision
 */

const decisions = new Set(['resend', 'confirm', 'discard', 'try']);
/** @type {Record<string, string>} */
const pauses = { 'pause upstream': 'pause', 'resume upstream': 'resume' };

/** Returns a button that shows the reason next to it; false for an action without a reason. @param {Order} order @returns {HTMLElement | false} */
export function reasonButton(order) {
  const { leadId, action, outcome } = order;
  const isLeads = leadId && (decisions.has(action) || action === 'redrive');
  if (outcome !== 'done' || !(isLeads || pauses[action])) return false;
  const reasonOf = isLeads ? leadReason : pauseReason;
  const place = h('span', { class: 'soft', role: 'status' });
  const button = h('button', { type: 'button', class: 'plain small', onclick: () => void tell() }, 'Why?');

  async function tell() {
    button.hidden = true;
    try {
      place.replaceChildren(await reasonOf(order));
    } catch (error) {
      place.replaceChildren(wordsOf(error));
      button.hidden = false;
    }
  }

  return h('div', { class: 'because' }, button, place);
}

/** The clocks of the engine and the gateway may differ by this much. */
const slackMs = 1_000;

/**
 * Returns the newest item from before the outcome of the action.
 * @template T @param {readonly T[]} all @param {(one: T) => string} atOf @param {Order} order
 */
const lastBefore = (all, atOf, { at }) => all.findLast((one) => Date.parse(atOf(one)) <= Date.parse(at) + slackMs);

/** @param {Order} order @returns {Promise<string>} */
async function pauseReason(order) {
  /** @type {{ changes: import('./upstream-changes.js').PastChange[] }} */
  const { changes } = await get('/api/upstreams');
  const its = changes.filter(
    ({ verb, upstream, instance, by = 'local' }) =>
      verb === pauses[order.action] && upstream === order.upstream && instance === order.instance && by === order.who,
  );
  return lastBefore(its.toReversed(), ({ at }) => at, order)?.reason ?? unknown;
}

/** @param {Order} order @returns {Promise<string>} */
async function leadReason(order) {
  const path = leadPath(order.leadId ?? '');
  /** @type {{ attempts: Attempt[] }} */
  const { attempts } = await get(`${path}?clear=false`);
  const attempt = lastBefore(attempts, ({ startedAt }) => startedAt, order);
  if (order.action === 'redrive') return attempt?.reason ?? unknown;
  if (!attempt) return unknown;
  /** @type {{ decisions: Decision[] }} */
  const story = await get(`${path}/exchanges?attempt=${attempt.attempt}`);
  const decided = story.decisions.filter(({ verb }) => verb === order.action);
  return lastBefore(decided, ({ at }) => at, order)?.reason ?? unknown;
}

const unknown = 'The reason is no longer stored.';
