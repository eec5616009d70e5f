/** Shows who paused and resumed which upstream, and why, newest first. */
import { h } from './dom.js';
import { trailOf, trailRow } from './table.js';
import { time } from './time.js';

/** @typedef {{ at: string, verb: 'pause' | 'resume', upstream: string, instance?: string, by?: string, reason: string }} PastChange */

const title = 'Pauses and resumes';
const heads = ['When', 'Who', 'What', 'Upstream', 'Reason'];
const done = { pause: 'paused', resume: 'resumed' };

/** @param {{ upstream: string, instance?: string }} about */
export const nameOf = ({ upstream, instance }) => (instance ? `${upstream} · ${instance}` : upstream);

/** @param {readonly PastChange[]} changes */
export function changesTable(changes) {
  if (changes.length === 0) return [];
  const rows = changes.map((change) => trailRow([time(change.at), change.by ?? 'local', done[change.verb], nameOf(change), change.reason]));
  return [h('h2', {}, title), trailOf(title, heads, h('tbody', { role: 'rowgroup' }, ...rows))];
}
