/** Shows the decisions for a parked or a waiting lead. */
import { againLine } from './again.js';
import { get, leadPath, post } from './api.js';
import { h } from './dom.js';
import { openDialog, reasonInput } from './dialog.js';
import { editForm } from './edit.js';
import { parkedAt } from './verbs.js';
import { commentStep } from './words.js';

/**
 * @param {string} leadId
 * @param {import('./lead.js').Lead} lead
 * @param {import('./story.js').Story} story
 * @param {(done: string) => void} changed
 */
export function decisions(leadId, { step, steps }, story, changed) {
  const error = steps.find(({ name }) => name === step)?.error;
  const { verbs, becauseOf, otherwise } = parkedAt(step, error?.code);
  return h(
    'section',
    { class: 'panel call-to-act', 'aria-labelledby': 'decide' },
    h('h2', { id: 'decide' }, 'Look in the upstream, then decide'),
    ...againLine(story, error),
    h('p', {}, becauseOf[error?.code ?? ''] ?? otherwise),
    h('div', { class: 'actions' }, ...verbs.map((verb) => verbButton(leadId, verb, changed))),
  );
}

/** @param {string} leadId @param {import('./verbs.js').Verb} verb @param {(done: string) => void} changed @param {string} [words] of the button */
function verbButton(leadId, { verb, label, means, done, idLabel, isIdKnown, isGrave }, changed, words = label) {
  async function ask() {
    const place = location.hash;
    const known = isIdKnown ? await knownPatient(leadId) : {};
    if (location.hash !== place) return;
    openDialog({
      title: label,
      leadId,
      means,
      label,
      isGrave,
      inputs: idLabel ? [{ name: 'upstreamId', label: idLabel, ...known }, reasonInput] : [reasonInput],
      act: async (values, order) => {
        await post(`${leadPath(leadId)}/${verb}`, values, order);
        changed(done);
      },
    });
  }

  return h('button', { type: 'button', class: isGrave ? 'grave' : undefined, title: means, onclick: () => ask() }, words);
}

/**
 * A lead at a paused upstream cannot be tried, and one whose patient is in the site system cannot be corrected.
 * @param {string} leadId
 * @param {import('./lead.js').Lead} lead
 * @param {import('./story.js').Story} story
 * @param {(done: string) => void} changed
 */
export function waitingActs(leadId, { step, steps, waitsFor }, story, changed) {
  const isSent = step === commentStep && steps.some(({ name, state }) => name === 'send-to-rt' && state === 'done');
  const buttons = [
    ...(waitsFor?.what === 'pause' ? [] : [tryButton(leadId, changed)]),
    ...parkedAt(step)
      .verbs.filter(({ verb }) => verb === 'discard')
      .map((verb) => verbButton(leadId, verb, changed, `${verb.label} …`)),
  ];
  return isSent ? h('div', { class: 'actions' }, ...buttons) : editForm(leadId, story, 'waiting', changed, buttons);
}

/** @param {string} leadId @param {(done: string) => void} changed */
const tryButton = (leadId, changed) =>
  h(
    'button',
    {
      type: 'button',
      onclick: () =>
        openDialog({
          title: 'Try now',
          leadId,
          means:
            'The lead is tried without waiting further. If the upstream is held, the first lead in its queue is tried, maybe not this one.',
          label: 'Try now',
          inputs: [reasonInput],
          act: async (values, order) => {
            await post(`${leadPath(leadId)}/try`, values, order);
            changed('The lead no longer waits. If the upstream is held, the first lead in its queue is tried, maybe not this one.');
          },
        }),
    },
    'Try now …',
  );

/** The patient id of a comment, from V1's answer. Reading it is recorded on the audit trail, like every read in clear. @param {string} leadId */
async function knownPatient(leadId) {
  /** @type {import('./lead.js').Story | undefined} */
  const story = await get(`${leadPath(leadId)}/exchanges?clear=true`).catch(() => undefined);
  const request = story?.exchanges.findLast(({ call }) => call === 'sendComments')?.request;
  return typeof request === 'object' && request !== null && 'subjectId' in request
    ? { value: String(request.subjectId), hint: 'From the answer of V1. Showing it is recorded on the audit trail.' }
    : {};
}
