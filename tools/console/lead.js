/** Shows the page of one lead: its state, the possible actions, and the details of each attempt. */
import { get, leadPath, Refused, wordsOf } from './api.js';
import { attemptList } from './attempts.js';
import { announce, h, message, outside, write } from './dom.js';
import { copyButton } from './copy.js';
import { decisions, waitingActs } from './decide.js';
import { editForm } from './edit.js';
import { eventPanel } from './events.js';
import { left } from './leads.js';
import { poll } from './poll.js';
import { storyPanels } from './story.js';
import { grow, time, zone } from './time.js';
import { badge, over, isUnsent, meaningOf, rebadge, runEnded } from './words.js';
import { reasonOf } from './reasons.js';

/**
 * @typedef {import('./story.js').Step} Step
 * @typedef {import('./story.js').Story} Story
 * @typedef {import('./attempts.js').Attempt} Attempt
 * @typedef {{ leadId: string, flow: string, state: string, step?: string, reference?: string, createdAt: string, updatedAt: string, waitsFor?: { what: string, words: string, nextTryAt?: string }, steps: Step[], attempts: Attempt[], sandbox?: true, restored?: string }} Lead
 */

const pollMs = 2_000;

/** @param {HTMLElement} main @param {URLSearchParams} query @param {string} leadId */
export function openLead(main, query, leadId) {
  const sign = badge('');
  const facts = h('p', { class: 'soft' });
  const why = h('p', { class: 'why', tabindex: -1 });
  const waits = h('p', { class: 'soft' });
  const simulated = message('warn', 'The sandbox was used for an upstream of this lead: answers on this page may come from a simulator.');
  const problem = h('div', {});
  const acts = h('div', {});
  const attempts = attemptList(leadId);
  const events = eventPanel(leadId);
  const { panels, show: showStory, hide: hideStory } = storyPanels(setClear);

  /** The attempt that is shown; empty for the newest. */
  let wanted = query.get('attempt') ?? '';
  let clear = false;
  /** The first story is requested together with the lead; later ones only when the lead has changed. */
  let isFirst = true;
  let seen = '';
  let actsFor = '';

  main.replaceChildren(
    h('p', {}, h('a', { href: left.address }, '← Leads')),
    h('div', { class: 'title' }, h('h1', { class: 'id' }, leadId), copyButton(leadId), sign),
    facts,
    why,
    waits,
    simulated,
    problem,
    acts,
    attempts.box,
    ...panels,
    events.box,
  );
  sign.hidden = true;
  simulated.hidden = true;

  /** @param {AbortSignal} signal @returns {Promise<Story>} */
  const storyNow = (signal) =>
    get(`${leadPath(leadId)}/exchanges?${new URLSearchParams({ clear: String(clear), ...(wanted && { attempt: wanted }) })}`, signal);

  async function refresh(/** @type {AbortSignal} */ signal) {
    let isThere = false;
    try {
      const early = isFirst ? storyNow(signal) : undefined;
      early?.catch(() => undefined);
      /** @type {Lead} */
      const lead = await get(`${leadPath(leadId)}?clear=false`, signal);
      isThere = true;
      showWait(lead);
      const now = JSON.stringify([lead.updatedAt, lead.state, lead.steps, lead.attempts, clear, wanted]);
      if (now !== seen) {
        attempts.show(lead.attempts, wanted);
        const story = await (early ?? storyNow(signal));
        if (signal.aborted) return;
        show(lead, story);
        // The first story was requested together with the lead, so it may be older than the lead.
        seen = isFirst ? '' : now;
        isFirst = false;
      }
      await events.refresh(signal).catch(() => undefined);
      grow(main);
      problem.replaceChildren();
    } catch (error) {
      if (signal.aborted) return;
      const words = wordsOf(error);
      if (problem.textContent !== words) problem.replaceChildren(message('bad', words));
      if (!(error instanceof Refused)) return;
      if (isThere) showNoStory();
      else if (error.status === 404) polling.stop();
    }
  }

  /** @param {Lead} lead @param {Story} story */
  function show(lead, story) {
    const means = meansOf(lead, story);
    if (!sign.hidden && sign.textContent !== lead.state) announce(`The lead is ${lead.state}: ${means}`);
    rebadge(sign, lead.state);
    sign.hidden = false;
    facts.replaceChildren(
      lead.flow,
      ...(lead.reference ? [' · reference ', h('span', { class: 'id' }, lead.reference)] : []),
      ' · accepted ',
      time(lead.createdAt),
      ' · last change ',
      time(lead.updatedAt),
      ...(lead.restored ? [' · open in the restored copy of ', time(lead.restored)] : []),
      ` · times in ${zone()}`,
      ...temporalLink(lead),
    );
    write(why, [means, over.has(lead.state) && lead.state !== 'failed' ? '' : reasonOf(lead)].filter(Boolean).join('. '));
    simulated.hidden = !lead.sandbox;
    showStory(story, newestOf(lead) > 1);
    showActs(lead, story);
  }

  /** @param {Lead} lead */
  function showWait({ waitsFor }) {
    // The state of a parked lead already says that it waits for a decision.
    const { words = '', nextTryAt } = waitsFor?.what === 'decision' ? {} : (waitsFor ?? {});
    waits.replaceChildren(words, ...(nextTryAt ? [' · next try ', time(nextTryAt)] : []));
  }

  /** @param {Lead} lead @param {Story} story */
  function showActs(lead, story) {
    const isPaused = lead.waitsFor?.what === 'pause';
    // Each try changes a waiting lead, and must not close its form.
    const of = [lead.state, lead.state === 'waiting' ? lead.step : lead.updatedAt, story.attempt, isPaused].join(' ');
    if (of === actsFor) return;
    actsFor = of;
    const hadFocus = acts.contains(document.activeElement);
    /** Announces the change, unless another page is shown. After a form, the focus moves to the state. @param {string} done */
    const changed = (done) => {
      if (acts.isConnected) announce(done);
      if (!document.querySelector('dialog[open]')) why.focus();
      polling.now();
    };
    if (story.attempt < newestOf(lead)) acts.replaceChildren(earlierNote(leadId, story));
    else if (lead.state === 'parked') acts.replaceChildren(decisions(leadId, lead, story, changed));
    else if (lead.state === 'failed') acts.replaceChildren(editForm(leadId, story, failedAs(codeOf(lead)), changed));
    else if (lead.state === 'waiting') acts.replaceChildren(waitingActs(leadId, lead, story, changed));
    else acts.replaceChildren();
    // The button of the decision is gone.
    if (hadFocus) why.focus();
  }

  /** Hides the story, so that only the attempt of the address is shown. */
  function showNoStory() {
    hideStory();
    acts.replaceChildren();
    actsFor = '';
    seen = '';
  }

  /** @param {boolean} asked */
  function setClear(asked) {
    clear = asked;
    announce(asked ? 'Shown in clear; this is recorded on the audit trail' : 'Masked');
    polling.now();
  }

  const polling = poll(pollMs, refresh);
  return {
    close: polling.stop,
    /** @param {URLSearchParams} next */
    update: (next) => {
      wanted = next.get('attempt') ?? '';
      announce(wanted ? `Attempt ${wanted}` : 'The newest attempt');
      polling.now();
    },
  };
}

/** Links to the run of the newest attempt. @param {Lead} lead */
const temporalLink = ({ attempts }) => {
  const url = attempts.at(-1)?.temporalUrl;
  return url ? [' · ', outside(url, 'run in Temporal')] : [];
};

/** @param {Lead} lead */
const codeOf = ({ attempts }) => attempts.at(-1)?.error?.code;

/** @param {string} [code] */
const failedAs = (code) => (code === runEnded ? 'ended' : code === 'UPSTREAM_REJECTED' ? 'refused' : 'failed');

/** @param {Lead} lead @param {Story} story */
function meansOf(lead, story) {
  const { state, step, waitsFor, attempts } = lead;
  if (waitsFor?.what === 'pause') return 'Not sent yet: its upstream is paused';
  // The story has one attempt only, and an earlier one may have sent something.
  if (state === 'discarded' && attempts.length === 1 && isUnsent(story.exchanges)) return 'Closed by a person. Nothing was sent';
  return meaningOf(state, step, codeOf(lead));
}

/** @param {Lead} lead */
const newestOf = ({ attempts }) => attempts.at(-1)?.attempt ?? 1;

/** Decisions concern the newest attempt, so an earlier attempt links to it. @param {string} leadId @param {Story} story */
const earlierNote = (leadId, { attempt }) =>
  message(
    'note',
    `This is attempt ${attempt}. The lead was redriven after it: `,
    h('a', { href: `#/leads/${leadId}` }, 'see the newest attempt'),
    '.',
  );
