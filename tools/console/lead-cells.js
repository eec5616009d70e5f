/** Creates the cells of a lead in the list, and their column heads. */
import { copyButton } from './copy.js';
import { h, set, write } from './dom.js';
import { reasonIn } from './reasons.js';
import { ageOf, time, zone } from './time.js';
import { badge, delivered, rebadge, stepName } from './words.js';

const inCopy = 'open in the restored copy';

export const heads = ['State', 'Lead and reference', 'Flow and step', 'Site, study, protocol', `Accepted, ${zone()}`, 'Why it is stalled'];

/** @param {import('./leads.js').Lead} lead */
export function cellsOf({ leadId, state, createdAt }) {
  const link = h('a', { href: `#/leads/${leadId}`, class: 'id', title: leadId }, leadId);
  const pair = () => [h('span', {}), h('span', {})];
  const cameIn = [h('span', {}, ageOf(createdAt)), h('span', {}, time(createdAt))];
  const named = h('div', {}, h('span', { class: 'copyable' }, link, copyButton(leadId)), h('span', { class: 'reference' }));
  const filled = [badge(state), named, pair(), pair(), cameIn, h('span', {})];
  return filled.map((content, at) => h('td', { role: 'cell', class: Array.isArray(content) ? `c${at} two` : `c${at}` }, content));
}

/** @param {Element | undefined} cell @param {string | undefined} first @param {string} second */
function two(cell, first = '', second) {
  if (cell?.firstElementChild) write(cell.firstElementChild, first);
  if (cell?.lastElementChild) write(cell.lastElementChild, second);
}

/** @param {Element} row @param {import('./leads.js').Lead} lead */
export function fillRow(row, lead) {
  const [state, , way, about, , why] = row.children;
  const sign = state?.firstElementChild;
  row.classList.remove('gone');
  if (sign instanceof HTMLElement) rebadge(sign, lead.state);
  const reference = row.querySelector('.reference');
  if (reference) {
    write(reference, lead.reference ?? '');
    set(reference, 'title', lead.reference);
  }
  two(way, lead.flow, delivered.has(lead.state) ? '' : stepName(lead.step));
  two(about, lead.site, [lead.studyId && `study ${lead.studyId}`, lead.protocol].filter(Boolean).join(' · '));
  const words = why?.firstElementChild;
  if (!words) return;
  const reason = [reasonIn(lead), lead.restored && inCopy].filter(Boolean).join(' · ');
  write(words, reason);
  set(words, 'title', reason || undefined);
}
