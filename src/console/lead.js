/** One lead: who, where it stands, what a person can do about it, and what went out and came back, step by step. */
import { get, leadPath, Refused, wordsOf } from './api.js';
import { announce, h, keyed, message, write } from './dom.js';
import { decisions } from './decide.js';
import { editForm } from './edit.js';
import { fieldList, storyOf, timelineItem } from './timeline.js';
import { left } from './leads.js';
import { poll } from './poll.js';
import { grow, time } from './time.js';
import { badge, isOver, meaningOf, rebadge } from './words.js';
import { reasonOf } from './reasons.js';

/**
 * @typedef {{ name: string, state: string, startedAt?: string, endedAt?: string, attempts: number, error?: { code: string, message: string } }} Step
 * @typedef {{ leadId: string, flow: string, state: string, step?: string, createdAt: string, updatedAt: string, steps: Step[], sandbox?: true }} Lead
 * @typedef {object} Exchange
 * @property {string} call
 * @property {string} [step]
 * @property {string} [startedAt]
 * @property {string} [endedAt]
 * @property {unknown} [request]
 * @property {unknown} [answer]
 * @property {{ code: string, message: string, status?: number }} [error]
 * @property {string[]} [fields]
 * @typedef {{ clear: boolean, lead: Record<string, unknown>, exchanges: Exchange[], decisions: { at: string, verb: string, reason: string, upstreamId?: string }[] }} Story
 */

const pollMs = 2_000;

/** @param {HTMLElement} main @param {URLSearchParams} _query @param {string} leadId */
export function openLead(main, _query, leadId) {
  const sign = badge('');
  const facts = h('p', { class: 'soft' });
  const why = h('p', { class: 'why' });
  const simulated = message(
    'warn',
    'The sandbox stood in for an upstream of this lead when it came in: what is told here may be a simulator’s word.',
  );
  const problem = h('div', {});
  const acts = h('div', {});
  const person = h('div', { class: 'person' });
  const timeline = h('ol', { class: 'timeline' });
  const unread = h('p', { class: 'soft' }, 'No worker answers just now: the steps are shown when one does.');
  const clearButton = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => setClear(!clear) }, 'Show in clear');

  let clear = false;
  let seen = '';
  let actsFor = '';
  /** @type {Story | undefined} */
  let told;

  main.replaceChildren(
    h('p', {}, h('a', { href: left.address }, '← Leads')),
    h('div', { class: 'title' }, h('h1', { class: 'id' }, leadId), sign),
    facts,
    why,
    simulated,
    problem,
    acts,
    h('section', { class: 'panel' }, h('div', { class: 'title' }, h('h2', {}, 'The lead as it came in'), clearButton), person),
    h('section', { class: 'panel' }, h('h2', {}, 'What happened'), unread, timeline),
  );
  sign.hidden = true;
  simulated.hidden = true;
  unread.hidden = true;

  async function refresh(/** @type {AbortSignal} */ signal) {
    try {
      /** @type {Lead} */
      const lead = await get(leadPath(leadId), signal);
      const now = JSON.stringify([lead.updatedAt, lead.state, lead.steps, clear]);
      if (now !== seen) {
        /** @type {Story} */
        const story = await get(`${leadPath(leadId)}/exchanges?clear=${clear}`, signal);
        if (signal.aborted) return;
        show(lead, story);
        seen = now;
      }
      grow(main);
      problem.replaceChildren();
    } catch (error) {
      if (signal.aborted) return;
      const words = wordsOf(error);
      if (problem.textContent !== words) problem.replaceChildren(message('bad', words));
      if (error instanceof Refused && error.status === 404) polling.stop();
    }
  }

  /** @param {Lead} lead @param {Story} story */
  function show(lead, story) {
    const means = meaningOf(lead.state, lead.step);
    told = story;
    if (!sign.hidden && sign.textContent !== lead.state) announce(`The lead is ${lead.state}: ${means}`);
    rebadge(sign, lead.state);
    sign.hidden = false;
    facts.replaceChildren(lead.flow, ' · came in ', time(lead.createdAt), ' · last change ', time(lead.updatedAt));
    write(why, [means, isOver.has(lead.state) && lead.state !== 'failed' ? '' : reasonOf(lead)].filter(Boolean).join('. '));
    simulated.hidden = !lead.sandbox;
    clearButton.hidden = false;
    write(clearButton, clear ? 'Mask again' : 'Show in clear');
    person.replaceChildren(fieldList(story.lead, new Set(story.exchanges.flatMap(({ fields = [] }) => fields))));
    unread.hidden = lead.steps.length > 0;
    keyed(
      timeline,
      storyOf(lead, story),
      ({ key }) => key,
      timelineItem,
      (element, item) => replaceChanged(element, timelineItem(item)),
    );
    showActs(lead, story);
  }

  /** @param {Lead} lead @param {Story} story */
  function showActs(lead, story) {
    const of = `${lead.state} ${lead.updatedAt}`;
    if (of === actsFor) return;
    actsFor = of;
    /** Nothing is said of it on the next page. @param {string} done */
    const changed = (done) => {
      if (acts.isConnected) announce(done);
      polling.now();
    };
    if (lead.state === 'parked') acts.replaceChildren(decisions(leadId, lead, () => told, changed));
    else if (lead.state === 'failed') acts.replaceChildren(editForm(leadId, story, changed));
    else acts.replaceChildren();
  }

  /** @param {boolean} asked */
  function setClear(asked) {
    clear = asked;
    announce(asked ? 'Shown in clear; this is on record' : 'Masked');
    polling.now();
  }

  const polling = poll(pollMs, refresh);
  return { close: polling.stop };
}

/** What is open stays open, and the focus stays where it was. @param {HTMLElement} element @param {HTMLElement} next */
function replaceChanged(element, next) {
  if (element.getAttribute('data-said') === next.getAttribute('data-said')) return element;
  const open = [...element.querySelectorAll('details')].map((details) => details.open);
  const focused = [...element.querySelectorAll('summary')].findIndex((summary) => summary === document.activeElement);
  next.querySelectorAll('details').forEach((details, at) => (details.open = open[at] ?? details.open));
  element.replaceWith(next);
  next.querySelectorAll('summary')[focused]?.focus();
  return next;
}
